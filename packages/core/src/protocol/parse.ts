import { type JsonRpcErrorObject, parseError } from './jsonrpc.ts'

/** Limits on the shape of one message. */
export interface ParseLimits {
  /** The maximum nesting of arrays and objects. @default 128 */
  readonly maxDepth: number
  /** The maximum number of brackets, braces, commas and colons outside strings. @default 100_000 */
  readonly maxTokens: number
}

/** The default limits on the shape of a message. */
export const DEFAULT_PARSE_LIMITS: ParseLimits = { maxDepth: 128, maxTokens: 100_000 }

/** The parsed value, or the reason that the text could not be parsed. */
export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: JsonRpcErrorObject }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8 strictly (U+FFFD must not reach a handler), drops one leading BOM, and parses the text. */
export function parseBytes(bytes: Uint8Array, limits: ParseLimits = DEFAULT_PARSE_LIMITS): Parsed {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return refuse('The message is not valid UTF-8')
  }
  return parseText(text, limits)
}

/**
 * Parses one JSON text, after a scan that limits the cost of parsing and of every later traversal. Deep
 * nesting would overflow the stack in a later `JSON.stringify`, and a very large number of keys would block
 * the event loop.
 */
export function parseText(text: string, limits: ParseLimits = DEFAULT_PARSE_LIMITS): Parsed {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  // A text with escapes must be scanned, because its names could be written with escapes.
  const names = body.length > limits.maxTokens || body.includes('\\') ? undefined : countNames(body, limits)
  const fault = names === undefined ? scan(body, limits) : undefined
  if (fault !== undefined) return refuse(fault)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return refuse('The message is not valid JSON')
  }
  const late = names === undefined || hasEnvelopeOf(names, value) ? undefined : scan(body, limits)
  if (late !== undefined) return refuse(late)
  return SUSPICIOUS_KEY.test(body) && hasPollutingKey(value)
    ? refuse('The message has a forbidden key')
    : { ok: true, value }
}

const NAMES_AND_BRACKETS = /"(?:jsonrpc|id|method|params)"|[[{]/g

/**
 * Counts how often the names of the envelope occur, which is faster than a scan. Returns undefined if the
 * text may be nested too deeply.
 */
function countNames(body: string, { maxDepth }: ParseLimits): number | undefined {
  let names = 0
  let brackets = 0
  for (NAMES_AND_BRACKETS.lastIndex = 0; NAMES_AND_BRACKETS.test(body);)
    if (body.charCodeAt(NAMES_AND_BRACKETS.lastIndex - 1) === QUOTE) names++
    else if (++brackets > maxDepth) return undefined
  return names
}

/** Returns whether the counted names are exactly the envelope's members, so that none occurs twice. */
function hasEnvelopeOf(names: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members =
    Number('jsonrpc' in value) + Number('id' in value) + Number('method' in value) + Number('params' in value)
  return members === names && members === Object.keys(value).length
}

/** Checks a value that was parsed elsewhere against the same limits. */
export function checkParsed(value: unknown, limits: ParseLimits = DEFAULT_PARSE_LIMITS): Parsed {
  let tokens = 0
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limits.maxDepth) return refuse('The message is nested too deeply')
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      const children = Object.values(item)
      tokens += children.length * 2 + 2
      if (tokens > limits.maxTokens) return refuse('The message has too many elements')
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return hasPollutingKey(value) ? refuse('The message has a forbidden key') : { ok: true, value }
}

const refuse = (message: string): Parsed => ({ ok: false, error: parseError(message) })

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

const BATCH = /^\s*\[/

/**
 * Checks depth, structural tokens and repeated envelope keys in one pass. Repeated keys matter because two
 * programs could interpret them differently.
 */
function scan(text: string, { maxDepth, maxTokens }: ParseLimits): string | undefined {
  const envelope = text.charCodeAt(0) !== OPEN_BRACE && BATCH.test(text) ? 2 : 1
  let depth = 0
  let tokens = 0
  let seen = 0
  let others: Set<string> | undefined
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const start = i + 1
        i = endOfString(text, start)
        if (depth === envelope && isKey(text, i + 1)) {
          const bit = others === undefined ? envelopeKey(text, start, i) : 0
          if (bit === 0) {
            const key = unescape(text.slice(start, i))
            others ??= new Set(ENVELOPE_KEYS.filter((_, index) => (seen & (1 << index)) !== 0))
            if (others.has(key)) return TWICE
            others.add(key)
          } else if ((seen & bit) !== 0) return TWICE
          seen |= bit
        }
        break
      }
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return 'The message is nested too deeply'
        if (depth === envelope) {
          seen = 0
          others = undefined
        }
        if (++tokens > maxTokens) return 'The message has too many elements'
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case 0x2c: // ,
      case 0x3a: // :
        if (++tokens > maxTokens) return 'The message has too many elements'
        break
    }
  }
  return undefined
}

const TWICE = 'The message has the same key twice'
/** Nearly all messages contain only these keys, so one bit per key is enough to detect a repeated key. */
const ENVELOPE_KEYS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const

/** Returns the bit of a key that contains no escapes, or 0. */
function envelopeKey(text: string, start: number, end: number): number {
  for (let index = 0; index < ENVELOPE_KEYS.length; index++) {
    const key = ENVELOPE_KEYS[index] ?? ''
    if (key.length === end - start && text.startsWith(key, start)) return 1 << index
  }
  return 0
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end !== -1 && isEscaped(text, end, from)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, quote: number, from: number): boolean {
  let backslashes = 0
  for (let i = quote - 1; i >= from && text.charCodeAt(i) === BACKSLASH; i--) backslashes++
  return backslashes % 2 === 1
}

/** Returns the key with its escapes decoded, because two spellings may represent the same key. */
function unescape(key: string): string {
  if (!key.includes('\\')) return key
  try {
    return JSON.parse(`"${key}"`) as string
  } catch {
    return key
  }
}

function isKey(text: string, from: number): boolean {
  let i = from
  while (i < text.length && text.charCodeAt(i) <= 0x20) i++
  return text.charCodeAt(i) === 0x3a
}

// The escape is included because it could spell `__proto__`. Texts that match are traversed, so a false positive
// costs nothing but time.
const SUSPICIOUS_KEY = /__proto__|"constructor"|\\u00/

function hasPollutingKey(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (typeof item !== 'object' || item === null) continue
    if (Object.hasOwn(item, '__proto__')) return true
    const own = Object.hasOwn(item, 'constructor')
      ? (item as Record<string, unknown>)['constructor']
      : undefined
    if (typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')) return true
    for (const child of Object.values(item)) open.push(child)
  }
  return false
}
