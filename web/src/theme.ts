/** What the owner's theme says, as the server put it into the page. Colours and fonts come by a stylesheet. */

/** A text by language, under "*" if it is the same in all. */
export type Texts = Record<string, string>;

export interface Theme {
  title: Texts;
  greeting: Texts;
  /** On the link to a product's page. */
  link: Texts;
  /** On the button that reports an item to the page around this one. */
  action: Texts;
  /** On the same button after it has been pressed. */
  actionDone: Texts;
  logo: string | null;
  logoDark: string | null;
  poweredBy: boolean;
}

const NONE: Theme = { title: {}, greeting: {}, link: {}, action: {}, actionDone: {}, logo: null, logoDark: null, poweredBy: false };

function read(): Theme {
  const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="rather-theme"]');
  return meta ? { ...NONE, ...(JSON.parse(meta.content) as Partial<Theme>) } : NONE;
}

export const theme: Theme = read();

/** A text in the language of the page, or in any other; null if the owner gave none. */
export function said(texts: Texts): string | null {
  const language = globalThis.document?.documentElement.lang.slice(0, 2) ?? "en";
  return texts[language] ?? texts["*"] ?? texts["en"] ?? Object.values(texts)[0] ?? null;
}
