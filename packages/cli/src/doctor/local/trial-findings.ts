import { failureOf, isSilent } from '../../start/failure.ts'
import { ANSWER_MS, END_MS, type Shutdown, type Trial } from '../../start/trial.ts'
import type { Finding } from '../finding.ts'
import { clip, fault, ok, skipped, warning } from '../verdicts.ts'

/** The time above which the first response counts as slow, in ms. */
const SLOW_MS = ANSWER_MS / 2
const QUOTED_LENGTH = 300
const SECONDS = ANSWER_MS / 1_000

/**
 * Returns the findings about a server that was started.
 * @param writer - the place in the code that wrote text that is not a message
 */
export function trialFindings(trial: Trial, writer: string | undefined): readonly Finding[] {
  return [
    startFinding(trial),
    ...answerFindings(trial),
    stdoutFinding(trial, writer),
    ...shutdownFindings(trial.shutdown),
  ]
}

export const isSlow = ({ answeredAfterMs = 0 }: Trial): boolean => answeredAfterMs > SLOW_MS

function startFinding(trial: Trial): Finding {
  const failure = failureOf(trial)
  if (failure === undefined) return ok('start', startedText(trial))
  if (isSilent(trial)) return skipped('start', 'It runs, and does not answer')
  return fault(
    'start',
    failure,
    trial.stderr.length === 0
      ? 'Run its command in a terminal'
      : 'Correct what its last lines on stderr say, above',
  )
}

function startedText({ answer, tools }: Trial): string {
  if (answer !== undefined && 'error' in answer)
    return `It answers initialize with error ${answer.error.code}: ${clip(answer.error.message, QUOTED_LENGTH)}`
  return tools === undefined ? 'It answers' : `It answers, and has ${tools} ${tools === 1 ? 'tool' : 'tools'}`
}

const ANSWER_FIRST = 'Answer first, and load or connect to other services when a tool needs them'

function answerFindings(trial: Trial): readonly Finding[] {
  const check = 'first-answer'
  if (isSilent(trial)) return [fault(check, failureOf(trial) ?? '', ANSWER_FIRST)]
  if (trial.answeredAfterMs === undefined) return []
  const evidence = `The first answer came after ${seconds(trial.answeredAfterMs)}`
  return [
    isSlow(trial)
      ? warning(check, `${evidence}. Codex gives up after ${SECONDS} s`, ANSWER_FIRST)
      : ok(check, evidence),
  ]
}

function stdoutFinding({ strayLines, notStarted }: Trial, writer: string | undefined): Finding {
  const check = 'stdout'
  const [first] = strayLines
  if (notStarted !== undefined) return skipped(check, 'It was not started')
  if (first === undefined) return ok(check, 'Each line is a message')
  const evidence = [
    `This line is no message: ${clip(first, QUOTED_LENGTH)}`,
    ...(writer === undefined ? [] : [`It is written ${writer}`]),
    ...(strayLines.length === 1 ? [] : [`There are ${strayLines.length - 1} more`]),
  ]
  return fault(
    check,
    evidence.join('\n'),
    'Write logs to stderr (console.error), and nothing but messages to stdout',
  )
}

function shutdownFindings(shutdown: Shutdown | undefined): readonly Finding[] {
  if (shutdown === undefined) return []
  const check = 'shutdown'
  const { afterMs, signal, left } = shutdown
  const found: Finding[] = []
  if (signal !== undefined) {
    const evidence = `It did not end within ${END_MS / 1_000} s after its stdin was closed; it needed ${signal}`
    const advice = 'End it when stdin ends: process.stdin.on("end", …), and close timers and connections'
    found.push((signal === 'SIGKILL' ? fault : warning)(check, evidence, advice))
  }
  if (left.length > 0) {
    const advice = 'End the processes that the server has started before it ends'
    found.push(fault(check, `It has ended, and left ${left.join(', ')}`, advice))
  }
  return found.length > 0 ? found : [ok(check, `It ended ${seconds(afterMs)} after its stdin was closed`)]
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
