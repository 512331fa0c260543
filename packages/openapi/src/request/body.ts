import { ToolError } from '@jetway/core'
import type { Encoding, Json } from '../document/model.ts'
import { isJson, listOf } from '../document/values.ts'
import type { BodyPlan, PlannedRequest } from './plan.ts'
import { inQuery, plain } from './styles.ts'

type Written = PlannedRequest['body']

/**
 * Writes a body from its value.
 *
 * @throws ToolError for a body that is larger than `limit` bytes, and for text that is not base64
 */
export function writeBody(plan: BodyPlan, value: unknown, limit: number): Written {
  const { kind, media } = plan
  switch (kind) {
    case 'json':
      return text(JSON.stringify(value), isConcrete(media.type) ? media.type : 'application/json', limit)
    case 'form':
      return text(formText(asObject(value), media.encoding), media.type, limit)
    case 'multipart':
      return { data: formData(asObject(value), plan, limit), type: undefined }
    case 'text':
      return text(plain(value), isConcrete(media.type) ? media.type : 'text/plain', limit)
    case 'bytes':
      return file(readFile(value), isConcrete(media.type) ? media.type : OCTETS, limit)
    default:
      return kind satisfies never
  }
}

const OCTETS = 'application/octet-stream'
const isConcrete = (type: string): boolean => !type.includes('*')
const asObject = (value: unknown): Json => (isJson(value) ? value : {})

function text(data: string, type: string, limit: number): Written {
  checkSize(new TextEncoder().encode(data).length, limit)
  return { data, type }
}

function file({ bytes: data, type }: ReadFile, fallback: string, limit: number): Written {
  checkSize(data.length, limit)
  return { data, type: type ?? fallback }
}

function checkSize(size: number, limit: number): void {
  if (size > limit) throw new ToolError(`The body is larger than ${limit} bytes`)
}

function formText(value: Json, encoding: ReadonlyMap<string, Encoding>): string {
  const pairs = Object.entries(value).flatMap(([name, item]) => {
    const { style, explode, allowReserved = false } = encoding.get(name) ?? {}
    // Without a style, an object is written as JSON: https://spec.openapis.org/oas/v3.1.1.html#encoding-object.
    const json = style === undefined && isJson(item)
    return inQuery(
      {
        name,
        style: style ?? 'form',
        explode: explode ?? (style === undefined || style === 'form'),
        allowReserved,
        json,
      },
      item,
    )
  })
  // Spaces are `+` in this format: https://url.spec.whatwg.org/#urlencoded-serializing.
  return pairs.join('&').replaceAll('%20', '+')
}

function formData(value: Json, { media, files }: BodyPlan, limit: number): FormData {
  const form = new FormData()
  let size = 0
  const add = (name: string, item: unknown): void => {
    const type = media.encoding.get(name)?.contentType
    const part = files.has(name) ? filePart(item, type) : plainPart(item, type)
    size += typeof part === 'string' ? part.length : part.size
    checkSize(size, limit)
    if (typeof part === 'string') form.append(name, part)
    else form.append(name, part)
  }
  for (const [name, item] of Object.entries(value))
    for (const each of Array.isArray(item) ? listOf(item) : [item]) add(name, each)
  return form
}

function filePart(item: unknown, type: string | undefined): File {
  const { bytes, name, type: own } = readFile(item)
  const fallback = type !== undefined && isConcrete(type) && !type.includes(',') ? type : OCTETS
  return new File([bytes], name ?? 'file', { type: own ?? fallback })
}

function plainPart(item: unknown, type: string | undefined): string | Blob {
  if (isJson(item)) return new Blob([JSON.stringify(item)], { type: type ?? 'application/json' })
  return type === undefined || !isConcrete(type) || type.includes(',')
    ? plain(item)
    : new Blob([plain(item)], { type })
}

interface ReadFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name?: string | undefined
  readonly type?: string | undefined
}

/** Reads base64, or `{ name, type, data }`. */
function readFile(value: unknown): ReadFile {
  if (typeof value === 'string') return { bytes: fromBase64(value) }
  const { name, type, data } = asObject(value)
  return {
    bytes: fromBase64(typeof data === 'string' ? data : ''),
    name:
      typeof name === 'string' ? name.replace(/[\u0000-\u001f\u007f"\\/]/g, '_').slice(0, 255) : undefined,
    type: typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined,
  }
}

/** @throws ToolError for text that is not base64 */
function fromBase64(encoded: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  } catch {
    throw new ToolError('A file must be given as base64')
  }
}
