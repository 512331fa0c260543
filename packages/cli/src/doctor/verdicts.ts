import type { Finding } from './finding.ts'

export const ok = (check: string, evidence: string): Finding => ({ check, verdict: 'ok', evidence })

export const skipped = (check: string, evidence: string): Finding => ({ check, verdict: 'skipped', evidence })

export const warning = (check: string, evidence: string, advice: string): Finding => ({
  check,
  verdict: 'warning',
  evidence,
  advice,
})

export const fault = (check: string, evidence: string, advice: string): Finding => ({
  check,
  verdict: 'fault',
  evidence,
  advice,
})

interface Verdicts {
  readonly ok: (evidence: string) => Finding
  readonly warning: (evidence: string, advice: string) => Finding
  readonly fault: (evidence: string, advice: string) => Finding
}

/** Returns functions that create findings for one check. */
export const verdictsOf = (check: string): Verdicts => ({
  ok: (evidence) => ok(check, evidence),
  warning: (evidence, advice) => warning(check, evidence, advice),
  fault: (evidence, advice) => fault(check, evidence, advice),
})

const MAX_NAMES = 5
const MAX_NAME = 128

/**
 * Lists the first few names, and states how many others there are. Truncates names, because they may have any
 * length.
 */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => clip(name, MAX_NAME))
  const rest = names.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

export const clip = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}…`
