import { isObject } from '../../protocol/jsonrpc.ts'
import type { Logger } from '../../util/logger.ts'

/** Whether a value reads like a tool result of another SDK: an object whose `content` is a list of typed blocks. */
function looksLikeResult(value: unknown): boolean {
  if (!isObject(value)) return false
  const { content } = value
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((block) => isObject(block) && typeof block['type'] === 'string')
  )
}

/** Tells the log, once for a tool, that it returns data which its author may have meant as a result. */
export function lookalikeHint(tool: string, logger: Logger): (value: unknown) => void {
  let told = false
  return (value) => {
    if (told || !looksLikeResult(value)) return
    told = true
    logger.warn(
      { tool },
      'A tool returned a plain object with content, which is sent as JSON text like any other data; make a result of it with result({ content: [content.text(…)] })',
    )
  }
}
