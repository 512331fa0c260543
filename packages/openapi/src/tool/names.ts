import type { Operation } from '../document/model.ts'

/** The maximum length of a name that model APIs accept. */
const MAX_NAME = 64

/** The name that an operation asks for: of its `x-mcp`, its `operationId`, or its method and path. */
export function wantedName({ hints, id, method, path }: Operation): string {
  const given = hints.name ?? id
  const name = given === undefined ? '' : snake(given)
  return name === '' ? snake(`${method} ${path.replace(/\{([^{}]*)\}/g, 'by $1')}`) : name
}

/** `listPets`, `list-pets` and `Pets.list` become `list_pets` and `pets_list`. */
export const snake = (text: string): string =>
  text
    .slice(0, 512)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')

/** Gives names of at most 64 characters, each once. */
export class Names {
  readonly #taken = new Set<string>()

  /** @param key - what the name stands for. A digest of it is added to a name that is taken or too long */
  take(wanted: string, key: string): string {
    let name = wanted === '' ? `operation_${digest(key)}` : wanted
    for (let count = 0; this.#taken.has(name) || name.length > MAX_NAME; count++) {
      const end = `_${digest(count === 0 ? key : `${key} ${count}`)}`
      name = wanted.slice(0, MAX_NAME - end.length) + end
    }
    this.#taken.add(name)
    return name
  }

  has(name: string): boolean {
    return this.#taken.has(name)
  }
}

/** FNV-1a, because a name needs a stable digest and not a secure one. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36).padStart(7, '0')
}

/**
 * The name of an argument. Model APIs accept only these characters in the names of properties.
 */
export function argumentName(name: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name) && name !== '__proto__') return name
  const safe = name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  if (safe === '') return `argument_${digest(name)}`
  return safe.length <= MAX_NAME ? safe : `${safe.slice(0, MAX_NAME - 8)}_${digest(name)}`
}
