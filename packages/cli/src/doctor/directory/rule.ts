import type { Facts } from './facts.ts'

/** A requirement of a directory. */
export interface DirectoryRule {
  /** The name of the check, such as `tool-hints`. */
  readonly id: string
  /** The verdict if the rule is broken. */
  readonly level: 'fault' | 'warning'
  /** The page that has the rule. */
  readonly source: string
  /** The day when the page was read, as YYYY-MM-DD. Pages change. */
  readonly read: string
  readonly check: (facts: Facts) => Outcome
}

/** What a rule says about a server. */
export type Outcome =
  | { readonly kind: 'met'; readonly evidence: string }
  | { readonly kind: 'broken'; readonly evidence: string; readonly advice: string }
  /** A program cannot know it, so the author has to do it. */
  | { readonly kind: 'step'; readonly todo: string }
  /** The rule is not for this server. */
  | { readonly kind: 'skipped'; readonly evidence: string }

export const met = (evidence: string): Outcome => ({ kind: 'met', evidence })
export const broken = (evidence: string, advice: string): Outcome => ({ kind: 'broken', evidence, advice })
export const step = (todo: string): Outcome => ({ kind: 'step', todo })
export const skip = (evidence: string): Outcome => ({ kind: 'skipped', evidence })
