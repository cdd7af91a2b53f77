/*
 * Puts the conversation into another site:
 *
 *   <script src="https://HOST/embed.js" data-catalog="films"></script>
 *
 * The frame appears after the script tag, or inside the element that data-target selects. When the conversation ends,
 * the element that holds it gets a `rather:end` event whose detail is {session, stop_reason, recommendations}.
 * The server must have been started with --origin for the site.
 */
(() => {
  "use strict";
  const script = document.currentScript;
  const origin = new URL(script.src).origin;
  const address = new URL("/embed", origin);
  address.searchParams.set("parent", window.location.origin);
  for (const name of ["catalog", "k", "ask", "questions"]) {
    if (script.dataset[name]) address.searchParams.set(name, script.dataset[name]);
  }

  const frame = document.createElement("iframe");
  frame.src = address.href;
  frame.title = script.dataset.title || "A few questions";
  frame.loading = "lazy";
  frame.style.cssText = "border: 0; width: 100%; min-height: 36rem;";

  const target = script.dataset.target ? document.querySelector(script.dataset.target) : null;
  if (target) target.append(frame);
  else script.after(frame);

  window.addEventListener("message", (message) => {
    // Anybody may send a message: only ours, from our frame, counts.
    if (message.origin !== origin || message.source !== frame.contentWindow) return;
    const { type, ...detail } = message.data ?? {};
    if (type === "rather:resize" && Number.isFinite(detail.height)) {
      frame.style.height = `${Math.min(Math.max(detail.height, 200), 5000)}px`;
    } else if (type === "rather:end") {
      (target ?? frame).dispatchEvent(new CustomEvent("rather:end", { bubbles: true, detail }));
    }
  });
})();
