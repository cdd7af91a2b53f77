/*
 * Puts the conversation into another site, in place of the script's tag or inside the element that data-target selects:
 *
 *   <script src="https://HOST/embed.js" data-catalog="films"></script>
 *
 * data-catalog, data-where (must-haves, such as "price < 900"), data-k, data-ask, data-p, data-questions, data-strategy
 * and data-seed set it up; data-mode ("light", "dark") and data-language ("de") say how it looks; data-title names the
 * frame, which is as high as its content.
 *
 * The frame gets events, which bubble, each with a `detail`:
 *
 *   rather:started   {session, share, catalog, resumed}
 *   rather:answered  {session, catalog, question, answer, choice, item, answers}
 *   rather:finished  {session, share, catalog, answers, stop, stop_reason, recommendations}
 *   rather:action    {session, catalog, item, label, link, rank}: the button that the theme names was pressed
 *
 * The server must have been started with --origin for the site.
 */
(() => {
  "use strict";
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;

  const page = new URL("/embed", script.src);
  page.searchParams.set("parent", location.origin);
  for (const name of ["catalog", "where", "k", "ask", "p", "questions", "strategy", "seed", "mode", "language"]) {
    const value = script.dataset[name];
    if (value) page.searchParams.set(name, value);
  }

  const events = ["rather:started", "rather:answered", "rather:finished", "rather:action"];
  const frame = document.createElement("iframe");
  frame.src = page.href;
  const titles = new Map([["de", "Ein paar Fragen"], ["fr", "Quelques questions"], ["es", "Unas pocas preguntas"]]);
  const language = (script.dataset["language"] || document.documentElement.lang).slice(0, 2);
  frame.title = script.dataset["title"] || titles.get(language) || "A few questions";
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { display: "block", width: "100%", height: "40rem", border: "0" });

  addEventListener("message", (message) => {
    // Anybody may send a message: only ours, from our frame, counts.
    if (message.origin !== page.origin || message.source !== frame.contentWindow) return;
    const { type, height, detail } = message.data ?? {};
    if (type === "rather:height" && Number.isFinite(height)) {
      frame.style.height = `${Math.min(Math.max(height, 200), 20_000)}px`;
    } else if (events.includes(type)) {
      frame.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
    }
  });

  const target = script.dataset["target"] ? document.querySelector(script.dataset["target"]) : null;
  if (target) target.append(frame);
  else script.replaceWith(frame);
})();
