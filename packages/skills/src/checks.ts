import { invalidParams, UsageError } from '@jetway/core'
import type { JsonObject, UsageErrorCode } from '@jetway/core/protocol'

/** The skill that an error message names. */
export interface Subject {
  readonly name: string
}

const MAX_SHOWN = 128
/** The maximum length of a URI. Longer URIs are rejected without a lookup. */
const MAX_URI_LENGTH = 8192

/** Truncates a client's text for an error message. */
export const shorten = (text: string): string => text.slice(0, MAX_SHOWN)

export const fault = ({ name }: Subject, code: UsageErrorCode, problem: string): UsageError =>
  new UsageError(code, `The skill ${JSON.stringify(name)} ${problem}`)

export const invalid = (subject: Subject, problem: string): UsageError =>
  fault(subject, 'ERR_MCP_INVALID_DEFINITION', problem)

/** @throws McpError `-32602` for a missing or malformed URI */
export function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw invalidParams('The member "uri" must be a string')
  if (uri.length > MAX_URI_LENGTH) throw invalidParams(`The URI is longer than ${MAX_URI_LENGTH} characters`)
  return uri
}
