import { ANSWER_MS, type Trial } from './trial.ts'

const QUOTED_LINES = 5
const QUOTED_LENGTH = 300

/** Describes why a server is not serving. Returns undefined if it is serving. */
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

/** Returns whether the server is running but does not respond. */
export const isSilent = ({ notStarted, answer, ended }: Trial): boolean =>
  notStarted === undefined && answer === undefined && ended === undefined

/** Matches stack frames, and lines that Node.js and Python print around an error. */
const NOISE = /^\s*(?:at |\^+\s*$|Node\.js v|Traceback |File "|[\]})]*\s*$)/
/** Matches the members of an error. Node.js prints them after the error's stack. */
const MEMBER = /^\s+[\w[\]]+: /
const ERROR = /\b(?:\w*Error|\w*Exception|ERROR)\b|^error\b/

/** Returns the last error and the lines after it. If there is no error, returns the last lines. */
function quotedLines(lines: readonly string[]): readonly string[] {
  const useful = lines.filter((line) => !NOISE.test(line))
  const error = useful.findLastIndex((line) => ERROR.test(line) && !MEMBER.test(line))
  const quoted = error < 0 ? useful.slice(-QUOTED_LINES) : useful.slice(error, error + QUOTED_LINES)
  return quoted.map((line) => line.slice(0, QUOTED_LENGTH))
}
