/** What `rather publish` put into the page: where its engine and its catalogue are. A served page has none of it. */

export interface Published {
  /** Address of the engine's script; null where it is part of the page. */
  engine: string | null;
  /** Address of the catalogue and the belief; null where they are part of the page. */
  data: string | null;
  /** The only language; null for that of the browser. */
  language: string | null;
  /** The languages that there are texts in. */
  languages: string[];
  /** Where finished conversations are sent, if the person does not mind. */
  collect: string | null;
}

function read(): Published | null {
  const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="rather-published"]');
  return meta ? (JSON.parse(meta.content) as Published) : null;
}

export const published: Published | null = read();

/** The language that the page begins in: a server chooses it itself. */
export function firstLanguage({ language, languages }: Published, requested: string | null): string {
  const wanted = [language, requested, ...navigator.languages].flatMap((tag) => tag?.toLowerCase().split("-")[0] ?? []);
  return wanted.find((tag) => languages.includes(tag)) ?? "en";
}

/** Light or dark, if the address asks for it. */
export function followMode(): void {
  const mode = new URLSearchParams(location.search).get("mode");
  if (mode !== "light" && mode !== "dark") return;
  document.documentElement.dataset["mode"] = mode;
  document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.setAttribute("content", mode);
}

/** A part of the page that was written into it as text. */
export function embeddedBytes(id: string): Uint8Array<ArrayBuffer> {
  const text = document.getElementById(id)?.textContent ?? "";
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}
