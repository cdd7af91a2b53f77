/** Answers that hardly fit together: found by what all other answers say (see the library). */

import type { Belief } from "./belief";
import { Random } from "./random";
import { moved } from "./rejuvenation";
import type { Choice } from "./responses";
import type { Question } from "./policy";
import type { Session } from "./session";
import type { Texts } from "./texts";

/** Particles that stand for what all other answers say, and how far they move from what all of them say. */
const PARTICLES = 400;
const MOVES = 20;
/** Answers that are examined, each against all others: the last ones. */
const MOST_EXAMINED = 40;
/** An answer is surprising if all others make it no likelier than this, and so much less likely than for anybody. */
const SURPRISING = 0.1;
const LESS_LIKELY = 0.5;

export interface Contradiction {
  /** The question of the later answer, and that of the earlier one. */
  number: number;
  earlier: number;
  /** That the more surprising of the two is answered as it was by somebody who gave all other answers. */
  probability: number;
  text: string;
}

/** An answer that the belief holds evidence of. */
interface Given {
  number: number;
  question: Question;
  choice: Exclude<Choice, "skip">;
  vectors: Float32Array[];
  /** Of its evidence in the belief. */
  position: number;
}

/** Pairs of answers that hardly fit together, the most surprising first. */
export function contradictions(session: Session, texts: Texts): Contradiction[] {
  const given = givenAnswers(session);
  if (given.length < 2) return [];
  const { prior, response } = session.world;
  const probabilities = givenTheOthers(session, given);
  const alone = given.map(({ vectors, choice }) => prior.update(vectors, choice, response));
  const found = new Map<string, Contradiction>();
  const surprising = [...given.keys()].filter((index) => probabilities[index]! <= SURPRISING);
  for (const index of surprising.sort((one, other) => probabilities[one]! - probabilities[other]!)) {
    const { vectors, choice } = given[index]!;
    const usual = prior.probability(vectors, choice, response);
    const after = alone.map((belief, other) => (other === index ? Infinity : belief.probability(vectors, choice, response)));
    const against = after.indexOf(Math.min(...after));
    if (after[against]! >= usual || probabilities[index]! > LESS_LIKELY * usual) continue;
    const [earlier, later] = index < against ? [given[index]!, given[against]!] : [given[against]!, given[index]!];
    const name = `${later.number} ${earlier.number}`;
    if (found.has(name)) continue;
    const text = contradictionText(session, later, earlier, texts);
    found.set(name, { number: later.number, earlier: earlier.number, probability: probabilities[index]!, text });
  }
  return [...found.values()];
}

function givenAnswers(session: Session): Given[] {
  const given: Given[] = [];
  let [number, position] = [0, 0];
  for (const step of session.steps) {
    if (step.type === "answer") number += 1;
    if (step.type === "answer" && step.choice === "skip") continue;
    if (step.type === "answer" && step.choice !== "skip") {
      const { question, choice } = step;
      given.push({ number, question, choice, vectors: session.policy.vectors(question), position });
    }
    position += 1;
  }
  return given;
}

/** The probability of each answer, given all others and the hints; 1 for those not examined. */
function givenTheOthers(session: Session, given: readonly Given[]): number[] {
  return given.map(({ number, vectors, choice, position }, index) => {
    if (index < given.length - MOST_EXAMINED) return 1;
    const random = new Random(session.settings.seed, "contradictions", number);
    return without(session, position, random).probability(vectors, choice, session.world.response);
  });
}

/** The belief without one piece of its evidence. */
function without({ belief, world }: Session, position: number, random: Random): Belief {
  const evidence = belief.evidence.filter((_, index) => index !== position);
  if (world.density !== null) return moved(belief.holding(evidence), world.density, Math.min(belief.m, PARTICLES), MOVES, random);
  return evidence.reduce((before, each) => before.given(each), world.prior);
}

function contradictionText(session: Session, later: Given, earlier: Given, texts: Texts): string {
  return texts.message("contradiction.text", {
    later: said(session, later, texts),
    earlier: said(session, earlier, texts),
    number: String(later.number),
    before: String(earlier.number),
  });
}

function said(session: Session, { question, choice }: Given, texts: Texts): string {
  const { attributes } = texts.publication.header;
  const labels = question.options.map((option) => (question.kind === "items" ? session.shop.label(option) : texts.told(attributes.each[option]!.label)));
  if (typeof choice === "string") return texts.message(`contradiction.${choice}`, { options: texts.joined(labels) });
  const passed = texts.joined(labels.filter((_, index) => index !== choice));
  return texts.message("contradiction.chosen", { chosen: labels[choice]!, passed });
}
