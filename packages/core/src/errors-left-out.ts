import { usageError, type UsageError } from './errors.ts'

/**
 * What the stand-ins say that the condition `jetway-edge` puts in place of modules, the files that end in `.edge.ts`.
 * Said as early as it can be: where an option is given or something is registered.
 *
 * @param what - the beginning of a sentence
 */
export const leftOut = (what: string, instead = 'bundle without that condition'): UsageError =>
  usageError('ERR_MCP_LEFT_OUT', `${what} is left out under the condition "jetway-edge": ${instead}`)
