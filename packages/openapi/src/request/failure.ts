import { ToolError } from '@jetway/core'
import { asJson, isJson, textOf, tidy } from '../document/values.ts'
import { isJsonType } from './plan.ts'
import { jsonOfReply, type Reply, textOfReply } from './read.ts'

/** The maximum length of an error that a model reads, in characters. */
const MAX_ERROR = 4096

/**
 * Throws for a reply that is not successful. Models read the reason for a 4xx, because they can correct their arguments.
 * The reason for a 5xx may contain anything, so it is logged, and the model receives a reference to the log.
 */
export function refuseFailure(key: string, reply: Reply): void {
  const { status } = reply
  if (status >= 200 && status < 300) return
  const after = reply.headers.get('retry-after')
  const canWait = (status === 429 || status === 503) && after !== null
  if (status >= 500 && !canWait)
    throw new Error(`${key} got HTTP ${status}: ${tidy(textOfReply(reply), MAX_ERROR)}`)
  const reason = status >= 500 ? '' : reasonOf(reply)
  const wait = canWait ? `. Try again after ${tidy(after, 64)}${/^\d+$/.test(after) ? ' seconds' : ''}` : ''
  throw new ToolError(`HTTP ${status}${nameOf(reply)}${reason === '' ? '' : `: ${reason}`}${wait}`)
}

const nameOf = ({ statusText }: Reply): string => (statusText === '' ? '' : ` ${tidy(statusText, 64)}`)

/** The members with reasons, of RFC 9457 and of what APIs commonly send. */
const REASONS = ['title', 'detail', 'message', 'error_description', 'error', 'errors', 'reason']

function reasonOf(reply: Reply): string {
  const json = jsonOfReply(reply)
  if (json !== undefined) return tidy(describe(json.value), MAX_ERROR)
  const isReadable = reply.type === 'text/plain' || isJsonType(reply.type)
  return isReadable ? tidy(textOfReply(reply), MAX_ERROR) : ''
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isJson(value)) return JSON.stringify(value)
  const found = REASONS.flatMap((name) => {
    const reason = value[name]
    if (typeof reason === 'string') return [reason]
    if (isJson(reason)) return [textOf(asJson(reason)['message']) ?? JSON.stringify(reason)]
    return Array.isArray(reason) ? [JSON.stringify(reason)] : []
  })
  return found.length > 0 ? [...new Set(found)].join('. ') : JSON.stringify(value)
}
