import { content, result, type ToolResult } from '@jetway/core'
import { isJson } from '../document/values.ts'
import { isJsonType, isTextType } from './plan.ts'
import { jsonOfReply, type Reply, textOfReply } from './read.ts'

export interface ResultRules {
  /** The tool's name. */
  readonly name: string
  /** Whether the tool has an `outputSchema`, so that its results must be objects. */
  readonly isStructured: boolean
  /** The maximum length of a text, in characters. */
  readonly resultBytes: number
}

/** Turns a successful reply into a result. */
export function toResult(reply: Reply, rules: ResultRules): ToolResult {
  const { bytes, type, status } = reply
  if (bytes.length === 0) return empty(status, rules)
  if (isJsonType(type) || type === '') {
    const json = jsonOfReply(reply)
    if (json !== undefined) return ofJson(json.value, rules)
    if (type !== '') return ofText(textOfReply(reply), rules, reply.isCut)
  }
  if (isTextType(type)) return ofText(textOfReply(reply), rules, reply.isCut)
  if (reply.isCut) return result.error(`The reply is larger than ${bytes.length} bytes, so it is left out`)
  if (rules.isStructured) return result.error(`The API replied with ${shown(type)} instead of JSON`)
  if (type.startsWith('image/')) return result({ content: content.image(bytes, type) })
  if (type.startsWith('audio/')) return result({ content: content.audio(bytes, type) })
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'
  return result({ content: content.resource({ uri: `openapi:/${rules.name}`, mimeType, blob: bytes }) })
}

const shown = (type: string): string => type.replace(/[^\w./+-]/g, '').slice(0, 64)

function empty(status: number, { isStructured }: ResultRules): ToolResult {
  const text = `Done (HTTP ${status}, no content)`
  return isStructured ? result({ content: text, structured: {} }) : result({ content: text })
}

/** Turns a JSON value into a result: structured if the tool declares it, otherwise text. */
export function ofJson(value: unknown, rules: ResultRules): ToolResult {
  const text = JSON.stringify(value)
  if (!rules.isStructured || text.length > rules.resultBytes) return ofText(text, rules, false)
  if (isJson(value)) return result({ structured: value })
  return result.error(
    `The API replied with a value that is not an object, unlike its document: ${cut(text, rules)}`,
  )
}

function ofText(text: string, rules: ResultRules, isCut: boolean): ToolResult {
  const shownText = cut(text, rules)
  const hasAll = shownText.length === text.length && !isCut
  const notice = hasAll
    ? []
    : [content.text(`The reply was cut after ${shownText.length} characters. Ask for less.`)]
  const blocks = [content.text(shownText), ...notice]
  // A tool with an outputSchema returns an object or an error.
  if (rules.isStructured) return result.error(blocks)
  return result({ content: blocks })
}

const cut = (text: string, { resultBytes }: ResultRules): string => {
  if (text.length <= resultBytes) return text
  const end = /[\uD800-\uDBFF]/.test(text[resultBytes - 1] ?? '') ? resultBytes - 1 : resultBytes
  return text.slice(0, end)
}
