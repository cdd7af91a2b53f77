/** A conversation as the library logs it, so that what is collected can be read by `rather insights` and replayed. */

import type { Conversation } from "./conversations";
import type { Question } from "./policy";
import { type Event, type Session } from "./session";
import { Texts } from "./texts";
import { hintText, prompt } from "./views";

/** What the library calls the usual verb, which a log leaves out. */
const USUAL_VERB = "have";
/** What attributes and cards cost to read, as shares of the regret at the start. */
const CARD_COST = 0.005;
const ATTRIBUTE_COST = 0.0005;
const MOST_IDS = 10_000;

type Json = Record<string, unknown>;

/** See `Session.to_json` of the library. */
export function logOf({ session, record }: Conversation): Json {
  const { header } = session.world.publication;
  const { k, seed, ask } = record.settings;
  return {
    ...header.log,
    k,
    seed,
    ...attributeSettings(session),
    ask,
    stopping: { ...session.stopping },
    ...allowedOf(session),
    events: events(session, record.events),
    open: session.question && questionRecord(session, session.question),
  };
}

/** How questions about attributes are asked, if they are. */
function attributeSettings(session: Session): Json {
  const { header } = session.world.publication;
  if (session.settings.ask === "items") return {};
  const { startRegret } = session.policy;
  const effort = { card: CARD_COST * startRegret, statement: ATTRIBUTE_COST * startRegret };
  return { p: 1, partial_strategy: "auto-partial", effort, statements: header.statements };
}

export function events(session: Session, happened: readonly Event[]): Json[] {
  const held: Event[] = [];
  const count = (type: Event["type"]): number => held.filter((event) => event.type === type).length;
  return happened.map((event) => {
    if (event.type === "undo") {
      const last = held.at(-1)!;
      const number = count(last.type);
      held.pop();
      return last.type === "hint" ? { undo: number, of: "hint" } : { undo: number };
    }
    held.push(event);
    const number = count(event.type);
    if (event.type === "hint") return hintRecord(session, event, number);
    return { tell: number, ...questionRecord(session, event.question), answer: event.choice };
  });
}

function questionRecord(session: Session, question: Question): Json {
  const { header } = session.world.publication;
  const about = question.kind === "items" ? { items: question.options } : { attributes: question.options.map((index) => [index]) };
  const vectors = packed(session.policy.vectors(question));
  const shown = question.kind === "items" ? itemsShown(session, question.options) : attributesShown(session, question);
  return { ...about, evoi: question.evoi, shown: { ...shown, vectors, space: header.log["space"] } };
}

function itemsShown(session: Session, rows: readonly number[]): Json {
  const { verb } = session.world.publication.header;
  return { options: rows.map((row) => itemRecord(session, row)), ...(verb === USUAL_VERB ? {} : { verb }) };
}

function attributesShown(session: Session, question: Question): Json {
  const texts = english(session);
  const options = question.options.map((index) => {
    const { label, column, text, named, hasPhrase } = texts.publication.header.attributes.each[index]!;
    return { label: texts.told(label), attributes: [[column, text]], ...(hasPhrase ? { phrase: texts.told(named) } : {}) };
  });
  return { options, words: [prompt(question, texts)] };
}

function itemRecord(session: Session, row: number): Json {
  const { shop } = session;
  const facts = Object.fromEntries(shop.facts(row, english(session)));
  const [link, images] = [shop.link(row), shop.images(row)];
  return {
    id: shop.id(row),
    label: shop.label(row),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...(link === null ? {} : { link }),
    ...(images.length > 0 ? { images } : {}),
  };
}

function hintRecord(session: Session, { said, rows }: Extract<Event, { type: "hint" }>, number: number): Json {
  const { vectors, choice, response } = session.imagined(said, rows);
  const shown = {
    text: hintText(session, said, english(session)),
    options: rows.map((row) => itemRecord(session, row)),
    k: vectors.length,
    vectors: packed(vectors),
    space: session.world.publication.header.log["space"],
  };
  return { hint: number, ...said, answer: choice, response: { temperature: response.temperature, tie: response.tie }, shown };
}

/** The items that may be recommended: a mask, and the ids of whichever are fewer, those or the others. */
function allowedOf(session: Session): Json {
  const { allowed } = session.policy;
  if (allowed === null) return { allowed: null, allowed_ids: null };
  const rows = [...allowed.keys()];
  const only = 2 * session.world.catalog.available(allowed) <= allowed.length;
  const listed = rows.filter((row) => (allowed[row] === 1) === only).map((row) => session.shop.id(row));
  const isListed = session.world.publication.header.items.ids !== null && listed.length <= MOST_IDS;
  return { allowed: toBase64(stored(bitsOf(allowed))), allowed_ids: isListed ? { [only ? "only" : "except"]: listed } : null };
}

/** Eight to a byte, the first one highest. */
function bitsOf(mask: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(mask.length / 8));
  mask.forEach((one, index) => (bytes[index >> 3]! |= one << (7 - (index & 7))));
  return bytes;
}

/** Bytes in the format of zlib, not compressed: they are few. */
function stored(bytes: Uint8Array): Uint8Array {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  const { length } = bytes;
  const head = [0x78, 0x01, 1, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255];
  return Uint8Array.from([...head, ...bytes, high >> 8, high & 255, low >> 8, low & 255]);
}

/** Vectors as text, exactly: little-endian float32 in base64. */
function packed(vectors: readonly Float32Array[]): string {
  const view = new DataView(new ArrayBuffer(4 * vectors.reduce((sum, vector) => sum + vector.length, 0)));
  let offset = 0;
  for (const vector of vectors) for (const value of vector) view.setFloat32((offset += 4) - 4, value, true);
  return toBase64(new Uint8Array(view.buffer));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function english(session: Session): Texts {
  return new Texts(session.world.publication, "en");
}
