import type { Logger } from '../../util/logger.ts'
import type { Caching } from './caching.ts'
import { usageError } from '../../errors.ts'
import { isObject } from '../../protocol/jsonrpc.ts'
import { typeName } from '../../util/check-options.ts'
import type { checkMembers } from '../members.ts'

/**
 * A handle that changes one registration. It does nothing after the registration has been removed or replaced.
 */
export interface Handle<Definition> extends Disposable {
  /** The name, URI or URI template. */
  readonly name: string
  /** Changes members of the definition other than its name, URI or template. */
  update(change: Partial<Definition>): void
  remove(): void
}

export interface AddOptions {
  /**
   * Replaces an existing definition with this name, at the same position in lists, instead of throwing.
   * @default false
   */
  readonly replace?: boolean
}

/** Registrations in their order, keyed by name, URI or URI template. */
export type Registrations<Definition, Entry> = ReadonlyMap<string, Registration<Definition, Entry>>

/** The parts of the server that every registration needs. */
export interface RegistrationContext {
  readonly pageSize?: number | undefined
  readonly logger: Logger
  readonly caching: Caching
  /** Rejects misspelt fields. Only some presets include this check. */
  readonly checkMembers?: typeof checkMembers | undefined
}

interface RegistryOptions<Definition, Entry> extends Pick<RegistrationContext, 'checkMembers'> {
  /** The kind of definition, for error messages. */
  readonly kind: string
  readonly key: (definition: Definition) => string
  /** Checks and compiles a definition. Throws a usage error if it is invalid. */
  readonly build: (definition: Definition) => Entry
}

interface Registration<Definition, Entry> {
  definition: Definition
  entry: Entry
}

/**
 * Definitions in the order of registration. Entries and lists of entries are immutable: each change creates new
 * objects, so that caches can use them as keys.
 */
export class Registry<Definition extends object, Entry extends object> {
  readonly #options: RegistryOptions<Definition, Entry>
  readonly #listeners = new Set<() => void>()
  readonly #updateListeners = new Set<(key: string) => void>()
  readonly #updated = new Set<string>()
  #registrations = new Map<string, Registration<Definition, Entry>>()
  #entries: readonly Entry[] | undefined
  /**
   * Whether a definition or an empty list was ever registered. An empty list counts, because entries may be
   * added later.
   */
  offered = false
  #scheduled = false

  constructor(options: RegistryOptions<Definition, Entry>) {
    this.#options = options
  }

  get(key: string): Entry | undefined {
    return this.#registrations.get(key)?.entry
  }

  entries(): readonly Entry[] {
    return (this.#entries ??= Array.from(this.#registrations.values(), ({ entry }) => entry))
  }

  /** Returns all entries. Entries from `other` replace those with the same key; the rest follow at the end. */
  entriesWith(other: Registry<Definition, Entry> | undefined): readonly Entry[] {
    if (other === undefined) return this.entries()
    return Array.from(
      new Map([...this.#registrations, ...other.#registrations]).values(),
      ({ entry }) => entry,
    )
  }

  /** @throws `ERR_MCP_DUPLICATE_NAME`, and the errors thrown by `build` */
  add(definition: Definition, { replace = false }: AddOptions = {}): Handle<Definition> {
    const key = this.keyOf(definition)
    if (!replace && this.#registrations.has(key)) throw this.duplicate(key)
    const registration = this.register(definition)
    this.#registrations.set(key, registration)
    this.#changed()
    return this.#handle(key, registration)
  }

  /** @returns whether the definition existed */
  remove(key: string): boolean {
    const removed = this.#registrations.delete(key)
    if (removed) this.#changed()
    return removed
  }

  /** Replaces all definitions, or changes nothing if one of them is invalid. */
  set(definitions: Iterable<Definition>): void {
    const registrations = new Map<string, Registration<Definition, Entry>>()
    for (const definition of definitions) {
      const key = this.keyOf(definition)
      if (registrations.has(key)) throw this.duplicate(key)
      registrations.set(key, this.register(definition))
    }
    this.replaceAll(registrations)
  }

  get registrations(): Registrations<Definition, Entry> {
    return this.#registrations
  }

  replaceAll(registrations: Map<string, Registration<Definition, Entry>>): void {
    this.#registrations = registrations
    this.#changed()
  }

  /** This has the same effect as registering an empty list. */
  offer(): void {
    if (!this.offered) this.#changed()
  }

  /**
   * Calls the listener once for all changes in one tick, a microtask later.
   *
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls the listener once per tick with the key of each definition that was updated through its handle. */
  onUpdate(listener: (key: string) => void): void {
    this.#updateListeners.add(listener)
  }

  /** @throws `ERR_MCP_INVALID_DEFINITION` for a value that is not an object */
  keyOf(definition: Definition): string {
    if (isObject(definition)) return this.#options.key(definition)
    throw usageError(
      'ERR_MCP_INVALID_DEFINITION',
      `A ${this.#options.kind} is defined by one object with its name and its handler, not by ${typeName(definition)}`,
    )
  }

  /** Checks and compiles a definition without adding it. */
  register(definition: Definition): Registration<Definition, Entry> {
    return { definition, entry: this.#build(definition) }
  }

  #build(definition: Definition): Entry {
    const { kind, checkMembers, build } = this.#options
    const { name } = definition as { readonly name?: unknown }
    checkMembers?.({ kind, name: String(this.keyOf(definition) ?? name) }, definition)
    return build(definition)
  }

  #handle(key: string, registration: Registration<Definition, Entry>): Handle<Definition> {
    const isCurrent = (): boolean => this.#registrations.get(key) === registration
    const remove = (): void => {
      if (isCurrent()) this.remove(key)
    }
    return {
      name: key,
      update: (change) => {
        if (isCurrent()) this.#update(key, registration, change)
      },
      remove,
      [Symbol.dispose]: remove,
    }
  }

  #update(key: string, registration: Registration<Definition, Entry>, change: Partial<Definition>): void {
    // The prototype is kept, because a definition may be an instance of a class with the handler as a method.
    const prototype: unknown = Object.getPrototypeOf(registration.definition)
    const definition = Object.assign(
      Object.create(prototype as object),
      registration.definition,
      change,
    ) as Definition
    if (this.keyOf(definition) !== key) {
      throw usageError(
        'ERR_MCP_INVALID_DEFINITION',
        `The ${this.#options.kind} ${JSON.stringify(key)} cannot be renamed by an update; remove it and add another`,
      )
    }
    registration.entry = this.#build(definition)
    registration.definition = definition
    if (this.#updateListeners.size > 0) this.#updated.add(key)
    this.#changed()
  }

  #changed(): void {
    this.offered = true
    this.#entries = undefined
    if (this.#scheduled || (this.#listeners.size === 0 && this.#updated.size === 0)) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      for (const listener of this.#listeners) listener()
      const updated = [...this.#updated]
      this.#updated.clear()
      for (const key of updated) for (const listener of this.#updateListeners) listener(key)
    })
  }

  duplicate(key: string, remedy = '; pass { replace: true } to take its place'): Error {
    const { kind } = this.#options
    return usageError('ERR_MCP_DUPLICATE_NAME', `The ${kind} ${JSON.stringify(key)} exists already${remedy}`)
  }
}
