import { type Annotations, isObject, type JsonObject } from '@jetway/core/protocol'
import { type Media, mediaOf, typeBySignature } from './media.ts'

interface Marked {
  readonly annotations?: Annotations
}

/** One part of a result. Binary data is in base64. */
export type HostPart =
  | (Marked & { readonly type: 'text'; readonly text: string })
  | (Marked & { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string })
  | (Marked & {
      readonly type: 'link'
      readonly uri: string
      readonly name: string
      readonly title?: string
      readonly description?: string
      readonly mimeType?: string
    })
  | (Marked & {
      readonly type: 'resource'
      readonly uri: string
      readonly mimeType?: string
      /** The text, if there is no `data`. */
      readonly text?: string
      readonly data?: string
    })

const isText = (value: unknown): value is string => typeof value === 'string'
const members = <K extends string>(from: JsonObject, keys: readonly K[]): Partial<Record<K, string>> =>
  Object.fromEntries(keys.flatMap((key) => (isText(from[key]) ? [[key, from[key]]] : []))) as never

/** Converts a content block. Unknown and malformed blocks become JSON text. */
export function partOf(block: JsonObject): HostPart {
  const { annotations } = block
  const marks = isObject(annotations) ? { annotations: annotations as Annotations } : {}
  return { ...(known(block) ?? { type: 'text', text: JSON.stringify(block) }), ...marks }
}

function known(block: JsonObject): HostPart | undefined {
  const { type, text, data, mimeType, uri, name, resource } = block
  if (type === 'text') return isText(text) ? { type, text } : undefined
  if (type === 'image' || type === 'audio') {
    if (!isText(data)) return undefined
    const media = mediaOf(data, isText(mimeType) ? mimeType : undefined)
    return media === undefined ? unreadable(type, mimeType) : { type, ...media }
  }
  if (type === 'resource_link')
    return isText(uri)
      ? {
          type: 'link',
          uri,
          name: isText(name) ? name : uri,
          ...members(block, ['title', 'description', 'mimeType']),
        }
      : undefined
  return type === 'resource' && isObject(resource) ? embedded(resource) : undefined
}

function embedded(resource: JsonObject): HostPart | undefined {
  const { uri, text, blob } = resource
  if (!isText(uri)) return undefined
  const type = members(resource, ['mimeType'])
  if (isText(text)) return { type: 'resource', uri, ...type, text }
  if (!isText(blob)) return undefined
  const media = mediaOf(blob, type.mimeType)
  return media === undefined
    ? unreadable('resource', uri, type.mimeType)
    : { type: 'resource', uri, ...media }
}

const unreadable = (what: string, ...facts: readonly unknown[]): HostPart => ({
  type: 'text',
  text: `[${describe(what, ...facts.filter(isText).map(brief), 'no readable data')}]`,
})

type Bytes = Media & { readonly uri?: string }

/** Reads the binary data of an image, an audio block or an embedded resource. */
export function bytesOf(part: HostPart): Bytes | undefined {
  if (part.type === 'image' || part.type === 'audio') return part
  if (part.type !== 'resource' || part.data === undefined) return undefined
  return { data: part.data, mimeType: part.mimeType ?? 'application/octet-stream', uri: part.uri }
}

/** Returns an image or a PDF document that model APIs accept, with the media type that its bytes indicate. */
export function viewable(part: HostPart): Bytes | undefined {
  const bytes = bytesOf(part)
  const mimeType = bytes && typeBySignature(bytes.data)
  return bytes === undefined || mimeType === undefined ? undefined : { ...bytes, mimeType }
}

export function textOf(part: HostPart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'link':
      return `[${describe('link', part.title ?? part.name, part.uri, part.mimeType, part.description)}]`
    case 'resource':
      return part.text === undefined
        ? `[${describe('resource', brief(part.uri), brief(part.mimeType ?? ''), sizeOf(part.data ?? ''))}]`
        : `[${describe('resource', part.uri, part.mimeType)}]\n${part.text}`
    default:
      return `[${describe(part.type, brief(part.mimeType), sizeOf(part.data))}]`
  }
}

/** The maximum length of each value in a description of binary data. Descriptions do not count as text. */
const MAX_FACT = 512
const brief = (fact: string): string => (fact.length > MAX_FACT ? `${whole(fact, MAX_FACT)}…` : fact)

/** Truncates a string, but never within a surrogate pair. */
export function whole(text: string, length: number): string {
  const start = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
}

const describe = (what: string, ...facts: readonly (string | undefined)[]): string =>
  `${what}: ${facts.filter((fact) => fact !== undefined && fact !== '').join(', ')}`

/** Returns the number of bytes as text. Four base64 characters represent three bytes. */
function sizeOf(data: string): string {
  const bytes = Math.floor((data.length * 3) / 4)
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`
}

export const isBlank = (text: string): boolean => text.trim() === ''

/** Returns the text, or a note if the text is empty, because some APIs reject empty text. */
export const notBlank = (text: string): string => (isBlank(text) ? '(no output)' : text)
