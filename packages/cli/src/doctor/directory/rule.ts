import type { Facts } from './facts.ts'

/** A requirement of a directory. */
export interface DirectoryRule {
  /** The name of the check, such as `tool-hints`. */
  readonly id: string
  /** The verdict if the rule is broken. */
  readonly level: 'fault' | 'warning'
  /** The page that states the rule. */
  readonly source: string
  /** The date on which the page was read, as YYYY-MM-DD. It is recorded because pages change. */
  readonly read: string
  readonly check: (facts: Facts) => Outcome
}

/** The outcome of a rule for a server. */
export type Outcome =
  | { readonly kind: 'met'; readonly evidence: string }
  | { readonly kind: 'broken'; readonly evidence: string; readonly advice: string }
  /** A program cannot check this rule, so the author must. */
  | { readonly kind: 'step'; readonly todo: string }
  /** The rule does not apply to this server. */
  | { readonly kind: 'skipped'; readonly evidence: string }

export const met = (evidence: string): Outcome => ({ kind: 'met', evidence })
export const broken = (evidence: string, advice: string): Outcome => ({ kind: 'broken', evidence, advice })
export const step = (todo: string): Outcome => ({ kind: 'step', todo })
export const skip = (evidence: string): Outcome => ({ kind: 'skipped', evidence })
