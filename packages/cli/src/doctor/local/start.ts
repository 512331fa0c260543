import type { Start } from '../../start/environment.ts'
import { runTrial, type Trial } from '../../start/trial.ts'
import type { Finding } from '../finding.ts'
import type { Examination, ProgramSubject } from '../subject.ts'
import { describeNeed, findNeed } from './need.ts'
import { failureOf, isSilent, trialFindings } from './trial-findings.ts'

export interface StartSubject extends Pick<ProgramSubject, 'startedBy'> {
  readonly start: Start
  /** Whether it runs in the harness. */
  readonly harness: boolean
}

export interface Started {
  readonly findings: readonly Finding[]
  readonly trial: Trial
  /** Whether it can be asked more. */
  readonly serves: boolean
}

/** Starts a server as its host does, and says how it has behaved. */
export async function checkStart(
  { start, startedBy, harness }: StartSubject,
  { env }: Examination,
): Promise<Started> {
  const trial = await runTrial(start, { harness })
  if (trial.httpPort !== undefined)
    return { trial, findings: [{ check: 'start', verdict: 'ok', evidence: 'It serves HTTP' }], serves: true }
  const failure = failureOf(trial)
  const findings = trialFindings(trial)
  if (failure === undefined) return { trial, findings, serves: true }
  // A host in a terminal gives what the user has.
  if (isSilent(trial) || startedBy === 'terminal') return { trial, findings, serves: false }
  const need = await findNeed(start, trial.stderr, env, { harness })
  if (need === undefined) return { trial, findings, serves: false }
  const { evidence, advice } = describeNeed(need, startedBy === 'app')
  const finding: Finding = {
    check: 'start',
    verdict: startedBy === 'app' ? 'fault' : 'warning',
    evidence: `As an app starts it: ${failure}\n${evidence}`,
    advice,
  }
  return { trial, findings: [finding, ...findings.filter(({ check }) => check !== 'start')], serves: false }
}
