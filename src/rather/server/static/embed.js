/*
 * Puts the conversation into another site, in place of the script's tag or inside the element that data-target selects:
 *
 *   <script src="https://HOST/embed.js" data-catalog="films"></script>
 *
 * data-catalog, data-k, data-ask, data-p, data-questions and data-seed set it up; data-title names the frame.
 * The frame is as high as its content. When the conversation ends, the frame gets a `rather:done` event, which bubbles,
 * whose detail is {session, share, catalog, answers, stop, stop_reason, recommendations}.
 * The server must have been started with --origin for the site.
 */
(() => {
  "use strict";
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;

  const page = new URL("/embed", script.src);
  page.searchParams.set("parent", location.origin);
  for (const name of ["catalog", "k", "ask", "p", "questions", "seed"]) {
    const value = script.dataset[name];
    if (value) page.searchParams.set(name, value);
  }

  const frame = document.createElement("iframe");
  frame.src = page.href;
  frame.title = script.dataset["title"] || "A few questions";
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { display: "block", width: "100%", height: "40rem", border: "0" });

  addEventListener("message", (message) => {
    // Anybody may send a message: only ours, from our frame, counts.
    if (message.origin !== page.origin || message.source !== frame.contentWindow) return;
    const { type, height, detail } = message.data ?? {};
    if (type === "rather:height" && Number.isFinite(height)) {
      frame.style.height = `${Math.min(Math.max(height, 200), 20_000)}px`;
    } else if (type === "rather:done") {
      frame.dispatchEvent(new CustomEvent("rather:done", { bubbles: true, detail }));
    }
  });

  const target = script.dataset["target"] ? document.querySelector(script.dataset["target"]) : null;
  if (target) target.append(frame);
  else script.replaceWith(frame);
})();
