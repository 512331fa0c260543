import { usageError } from '../../errors.ts'
import type { Start } from '../../start/environment.ts'
import type { NotStdio } from '../../start/server-process.ts'
import { failureOf, isSilent } from '../../start/failure.ts'
import { runTrial, type Trial } from '../../start/trial.ts'
import type { Finding } from '../finding.ts'
import type { Examination, ProgramSubject } from '../subject.ts'
import { fault, ok, skipped, warning } from '../verdicts.ts'
import { describeNeed, findNeed } from './need.ts'
import { nodeRunOf } from './script.ts'
import { findWriter } from './stdout-writer.ts'
import { isSlow, trialFindings } from './trial-findings.ts'

export interface StartSubject extends Pick<ProgramSubject, 'startedBy' | 'ofProject'> {
  readonly start: Start
  /** Whether the server runs in the harness. */
  readonly harness: boolean
}

export interface Started {
  readonly findings: readonly Finding[]
  readonly trial: Trial
  /** Whether later checks can send requests. */
  readonly serves: boolean
}

/** Starts a server as its host would, and reports how the server behaved. */
export async function checkStart(subject: StartSubject, examination: Examination): Promise<Started> {
  const { start, harness } = subject
  const trial = await runTrial(start, { harness })
  if (trial.report !== undefined) return { trial, ...reported(trial.report) }
  const isNode = harness || nodeRunOf(start) !== undefined
  const writer = trial.strayLines.length > 0 && isNode ? await findWriter(start, { harness }) : undefined
  const findings = trialFindings(trial, writer)
  if (failureOf(trial) !== undefined) {
    const need = await needFinding(subject, trial, examination)
    if (need === undefined) return { trial, findings, serves: false }
    return { trial, findings: [need, ...findings.filter(({ check }) => check !== 'start')], serves: false }
  }
  if (!isSlow(trial)) return { trial, findings, serves: true }
  // Every later check would have to start the server again.
  const later = skipped('revisions', 'It starts too slowly for the other checks')
  return { trial, findings: [...findings, later], serves: false }
}

/** @throws CliError `usage` if it is not clear which export to serve */
function reported(report: NotStdio): Pick<Started, 'findings' | 'serves'> {
  if (report.serves === 'http') return { findings: [ok('start', 'It serves HTTP')], serves: true }
  const { serves, message, hint } = report
  if (serves === 'unclear') throw usageError(message, hint)
  return { findings: [fault('start', message, hint)], serves: false }
}

/** Reports why the server starts for the user but not for an app. Resolves to undefined if it starts for neither. */
async function needFinding(
  { start, startedBy, ofProject, harness }: StartSubject,
  trial: Trial,
  { env }: Examination,
): Promise<Finding | undefined> {
  // A host in a terminal already provides the user's environment, and a project's program must not receive it.
  if (isSilent(trial) || startedBy === 'terminal' || ofProject) return undefined
  const need = await findNeed(start, trial.stderr, env, { harness })
  if (need === undefined) return undefined
  const { evidence, advice } = describeNeed(need, startedBy === 'app')
  const text = `As an app starts it: ${failureOf(trial)}\n${evidence}`
  return startedBy === 'app' ? fault('start', text, advice) : warning('start', text, advice)
}
