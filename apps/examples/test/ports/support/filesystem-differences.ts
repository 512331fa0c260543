import {
  type Difference,
  INVALID_ARGUMENTS,
  NO_TASK_SUPPORT,
  replaceText,
  SCHEMAS,
  SDK_PREFIX,
  UNKNOWN_TOOL,
} from './compare.ts'

/** All differences between server-filesystem and its port that a client can detect. */
export const FILESYSTEM_DIFFERENCES: readonly Difference[] = [
  SDK_PREFIX,
  ...SCHEMAS,
  NO_TASK_SUPPORT,
  INVALID_ARGUMENTS,
  UNKNOWN_TOOL,
  {
    name: 'when a file was last read',
    reason: 'the clock: both servers read it',
    remove: (seen) => replaceText(seen, (text) => text.replace(/^accessed: .*$/m, 'accessed: now')),
  },
  {
    name: 'the name of a temporary file',
    reason: 'random',
    remove: (seen) => replaceText(seen, (text) => text.replace(/\.[\da-f]{32}\.tmp/, '.tmp')),
  },
]
