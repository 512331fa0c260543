import { ANSWER_MS, END_MS, type Shutdown, type Trial } from '../../start/trial.ts'
import type { Finding } from '../finding.ts'

/** Above this, the first answer takes long, in ms. */
const SLOW_MS = ANSWER_MS / 2
const QUOTED_LINES = 5
const QUOTED_LENGTH = 300

/** The findings about a server that has been started and has answered. */
export function trialFindings(trial: Trial): readonly Finding[] {
  return [startFinding(trial), ...answerFindings(trial), stdoutFinding(trial), ...shutdownFindings(trial)]
}

/** Why a server does not serve. Undefined if it does. */
export function failureOf({ notStarted, answer, ended, stderr }: Trial): string | undefined {
  if (notStarted !== undefined)
    return notStarted === 'ENOENT'
      ? 'There is no such program or folder'
      : `It cannot be started: ${notStarted}`
  if (answer !== undefined && ended === undefined) return undefined
  const what =
    ended === undefined
      ? `It does not answer within ${ANSWER_MS / 1_000} s`
      : answer === undefined
        ? `It ended ${ended} before it answered`
        : `It ended ${ended} after its first answer`
  return [what, ...quotedLines(stderr)].join('\n')
}

/** Whether it runs, but does not answer. */
export const isSilent = ({ notStarted, answer, ended }: Trial): boolean =>
  notStarted === undefined && answer === undefined && ended === undefined

/** Frames of a stack, and what Node.js and Python print around an error. */
const NOISE = /^\s*(?:at |\^+\s*$|Node\.js v|Traceback |File "|[\]})]*\s*$)/
const ERROR = /\b(?:\w*Error|\w*Exception|ERROR)\b|^error\b/

/** The last error and what follows it, or else the last lines. */
export function quotedLines(lines: readonly string[]): readonly string[] {
  const told = lines.filter((line) => !NOISE.test(line))
  const error = told.findLastIndex((line) => ERROR.test(line))
  const quoted = error < 0 ? told.slice(-QUOTED_LINES) : told.slice(error, error + QUOTED_LINES)
  return quoted.map((line) => line.slice(0, QUOTED_LENGTH))
}

function startFinding(trial: Trial): Finding {
  const failure = failureOf(trial)
  if (failure === undefined) return { check: 'start', verdict: 'ok', evidence: startedText(trial) }
  if (isSilent(trial)) return { check: 'start', verdict: 'skipped', evidence: 'It runs, and does not answer' }
  return {
    check: 'start',
    verdict: 'fault',
    evidence: failure,
    advice: 'Correct what the last lines of stderr name. They are what the server has written',
  }
}

const ANSWER_FIRST = 'Answer first, and load or connect to other services when a tool needs them'

function answerFindings(trial: Trial): readonly Finding[] {
  const check = 'first-answer'
  if (isSilent(trial))
    return [{ check, verdict: 'fault', evidence: failureOf(trial) ?? '', advice: ANSWER_FIRST }]
  const { answeredAfterMs } = trial
  if (answeredAfterMs === undefined) return []
  const evidence = `The first answer came after ${(answeredAfterMs / 1_000).toFixed(1)} s`
  if (answeredAfterMs <= SLOW_MS) return [{ check, verdict: 'ok', evidence }]
  return [
    {
      check,
      verdict: 'warning',
      evidence: `${evidence}. Codex gives up after ${ANSWER_MS / 1_000} s`,
      advice: ANSWER_FIRST,
    },
  ]
}

function stdoutFinding({ strayLines, notStarted }: Trial): Finding {
  const [first] = strayLines
  if (notStarted !== undefined) return { check: 'stdout', verdict: 'skipped', evidence: 'It was not started' }
  if (first === undefined) return { check: 'stdout', verdict: 'ok', evidence: 'Each line is a message' }
  const more = strayLines.length === 1 ? '' : `\nand ${strayLines.length - 1} more such lines`
  return {
    check: 'stdout',
    verdict: 'fault',
    evidence: `This line is no message: ${first.slice(0, QUOTED_LENGTH)}${more}`,
    advice: 'Write logs to stderr (console.error), and nothing but messages to stdout',
  }
}

function shutdownFindings({ shutdown }: Trial): readonly Finding[] {
  if (shutdown === undefined) return []
  const check = 'shutdown'
  const { afterMs, signal, left } = shutdown
  if (signal !== undefined)
    return [
      {
        check,
        verdict: signal === 'SIGKILL' ? 'fault' : 'warning',
        evidence: `It did not end within ${END_MS / 1_000} s after its stdin was closed; it needed ${signal}`,
        advice:
          'End the process when stdin ends: process.stdin.on("end", …), and close timers and connections',
      },
      ...leftFindings(shutdown),
    ]
  if (left.length > 0) return leftFindings(shutdown)
  return [
    {
      check,
      verdict: 'ok',
      evidence: `It ended ${(afterMs / 1_000).toFixed(1)} s after its stdin was closed`,
    },
  ]
}

const leftFindings = ({ left }: Shutdown): readonly Finding[] =>
  left.length === 0
    ? []
    : [
        {
          check: 'shutdown',
          verdict: 'fault',
          evidence: `It has ended, and left ${left.join(', ')}`,
          advice: 'End the processes that the server has started before it ends',
        },
      ]

function startedText({ answer, tools }: Trial): string {
  if (answer !== undefined && 'error' in answer)
    return `It answers initialize with error ${answer.error.code}: ${answer.error.message}`
  return tools === undefined ? 'It answers' : `It answers, and has ${tools} ${tools === 1 ? 'tool' : 'tools'}`
}
