import { isPromiseLike } from '../../util/promises.ts'
import { describeIssues } from '../issues.ts'
import type { Issue } from '../types.ts'

/**
 * The maximum depth of the search. A deeper value either contains a cycle, or is so deep that JSON itself
 * fails after a few thousand levels.
 */
const MAX_DEPTH = 1_000

/** The advice for each kind of value, keyed by the tag that `Object.prototype.toString` returns. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/^(Error|DOMException)$/, 'send its message, or throw it'],
  [/^(Map|Headers|FormData|URLSearchParams)$/, 'send Object.fromEntries(…) of it'],
  [/^(Set|(Async)?Generator|.* Iterator|Iterator Helper)$/, 'send an array of its items'],
  [/^(Response|Request|Blob|File)$/, 'await its text() or json()'],
  [/^(\w+Array|\w*ArrayBuffer|DataView)$/, 'send base64, or an array of numbers'],
  [/^(RegExp|ReadableStream|Weak\w+)$/, 'send what it holds'],
]

const PROMISE = 'is a promise; await it'
const CYCLE = 'is an object that contains itself; send a copy without it'

type Loss = { readonly path: (string | number)[]; readonly message: string }

type Seen = Map<object, boolean>

const TOO_DEEP: Loss = { path: [], message: '' }

/**
 * Finds an object that JSON would convert to `{}`, or to members without its content, such as a `Map`, an
 * `Error` or a promise that was not awaited. An object with `toJSON` determines its own JSON form.
 *
 * @param searched - collects the objects, so that each is searched only once. A value that `JSON.stringify`
 * has accepted does not need it
 */
export function findJsonLoss(value: unknown, searched?: Set<object>): Issue | undefined {
  const loss = typeof value === 'object' && value !== null ? find(value, 0, searched) : undefined
  return loss === TOO_DEEP ? undefined : loss
}

function find(value: object, depth: number, searched: Set<object> | undefined): Loss | undefined {
  if (depth > MAX_DEPTH) return TOO_DEEP
  if (searched?.has(value) === true) return undefined
  searched?.add(value)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      const loss = typeof item === 'object' && item !== null ? find(item, depth + 1, searched) : undefined
      if (loss !== undefined) return within(loss, i)
    }
    return undefined
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return findInMembers(value, depth, searched)
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined
  const message = messageFor(value)
  return message === undefined ? findInMembers({ ...value }, depth, searched) : { path: [], message }
}

/** @param members - the members of a plain object, read with `in`, which does not create an array of keys */
function findInMembers(members: object, depth: number, searched: Set<object> | undefined): Loss | undefined {
  let found: Loss | undefined
  for (const key in members) {
    const member = (members as Record<string, unknown>)[key]
    if (typeof member === 'function') {
      if (key === 'toJSON') return undefined
      if (key === 'then') return { path: [], message: PROMISE }
    } else if (found === undefined && typeof member === 'object' && member !== null) {
      const loss = find(member, depth + 1, searched)
      if (loss !== undefined) found = within(loss, key)
    }
  }
  return found
}

function within(loss: Loss, key: string | number): Loss {
  if (loss !== TOO_DEEP) loss.path.unshift(key)
  return loss
}

/**
 * Finds values for which `JSON.stringify` throws: a bigint, or an object that contains itself.
 *
 * @param seen - maps each object to whether it is still being searched. Each object is searched only once,
 * even if it occurs in many places
 */
function findRefused(value: unknown, seen: Seen = new Map(), depth = 0): Loss | undefined {
  if (typeof value === 'bigint') return { path: [], message: 'is a bigint; send a number or a string' }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || 'toJSON' in value) return undefined
  if (seen.has(value)) return seen.get(value) === true ? { path: [], message: CYCLE } : undefined
  seen.set(value, true)
  for (const [key, member] of Object.entries(value)) {
    const found = findRefused(member, seen, depth + 1)
    if (found !== undefined) return within(found, Array.isArray(value) ? Number(key) : key)
  }
  seen.set(value, false)
  return undefined
}

/**
 * Describes the part that JSON would reject or lose, after a colon. Returns an empty string if there is no
 * such part.
 */
export function describeLoss(value: unknown): string {
  const loss = findRefused(value) ?? findJsonLoss(value, new Set())
  return loss === undefined ? '' : `: ${describeIssues([loss])}`
}

function messageFor(value: object): string | undefined {
  if (isPromiseLike(value)) return PROMISE
  // The tag is the same for subclasses and for objects from another realm.
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const advice = INSTEAD.find(([names]) => names.test(tag))?.[1]
  if (advice !== undefined) return `is ${/^[AEIO]/.test(tag) ? 'an' : 'a'} ${tag}; ${advice}`
  return isIterator(value) ? 'is an iterator; send an array of its items' : undefined
}

const isIterator = (value: object): boolean =>
  typeof (value as { next?: unknown }).next === 'function' &&
  (Symbol.iterator in value || Symbol.asyncIterator in value)
