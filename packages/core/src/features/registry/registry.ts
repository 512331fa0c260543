import { usageError } from '../../errors.ts'
import { isObject } from '../../protocol/jsonrpc.ts'

/** A change to what is registered under one name. It acts on its own registration only. */
export interface Handle<Definition> extends Disposable {
  /** The name, URI or URI template of the registration. */
  readonly name: string
  /**
   * Changes members of the definition; the name, URI or template stays.
   * Does nothing once the registration was removed or replaced.
   */
  update(change: Partial<Definition>): void
  /** Takes the registration back. Safe to call again. */
  remove(): void
}

/** What `add*` does if the name is taken. */
export interface AddOptions {
  /** Replaces the definition of this name, at its position in lists, instead of throwing. @default false */
  readonly replace?: boolean
}

/** What one owner has in a registry, by key. */
export type Owned<Definition, Entry> = ReadonlyMap<string, Registration<Definition, Entry>>

export interface RegistryOptions<Definition, Entry> {
  /** For errors: what it holds. */
  readonly kind: string
  readonly key: (definition: Definition) => string
  /** Checks and compiles a definition; throws a usage error for one that is wrong. */
  readonly build: (definition: Definition) => Entry
}

/** One place in a registry. */
interface Registration<Definition, Entry> {
  definition: Definition
  entry: Entry
}

/**
 * What is registered, in the order of registration. Entries never change: an update puts a new one in place,
 * so whatever is cached for an entry stays true.
 */
export class Registry<Definition extends object, Entry extends object> {
  readonly #options: RegistryOptions<Definition, Entry>
  readonly #listeners = new Set<() => void>()
  #registrations = new Map<string, Registration<Definition, Entry>>()
  #entries: readonly Entry[] | undefined
  #version = 0
  #offered = false
  #scheduled = false

  constructor(options: RegistryOptions<Definition, Entry>) {
    this.#options = options
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version
  }

  /** Whether anything was ever registered. Setting an empty list counts: more may come later. */
  get offered(): boolean {
    return this.#offered
  }

  get(key: string): Entry | undefined {
    return this.#registrations.get(key)?.entry
  }

  entries(): readonly Entry[] {
    return (this.#entries ??= Array.from(this.#registrations.values(), ({ entry }) => entry))
  }

  /** All entries. Those of the other registry replace the ones with the same key, and follow the rest. */
  entriesWith(other: Registry<Definition, Entry> | undefined): readonly Entry[] {
    if (other === undefined) return this.entries()
    return Array.from(
      new Map([...this.#registrations, ...other.#registrations]).values(),
      ({ entry }) => entry,
    )
  }

  /** @throws `ERR_MCP_DUPLICATE_NAME`, and whatever is wrong with the definition */
  add(definition: Definition, { replace = false }: AddOptions = {}): Handle<Definition> {
    const key = this.keyOf(definition)
    if (!replace && this.#registrations.has(key)) throw this.duplicate(key)
    const registration = this.#register(definition)
    this.#registrations.set(key, registration)
    this.#changed()
    return this.#handle(key, registration)
  }

  /** @returns whether there was one */
  remove(key: string): boolean {
    const removed = this.#registrations.delete(key)
    if (removed) this.#changed()
    return removed
  }

  /** Replaces everything. A definition that is wrong leaves all as it was. */
  set(definitions: Iterable<Definition>): void {
    const registrations = new Map<string, Registration<Definition, Entry>>()
    for (const definition of definitions) {
      const key = this.keyOf(definition)
      if (registrations.has(key)) throw this.duplicate(key)
      registrations.set(key, this.#register(definition))
    }
    this.#registrations = registrations
    this.#changed()
  }

  /**
   * Replaces an owner's definitions by others, which keep their order and begin where the first of
   * the old ones stood. A definition that is kept is not built again.
   *
   * @param refuse - called for a definition that is faulty or whose name another owner has; it is left out
   * @returns what the owner has now
   */
  exchange(
    owned: Owned<Definition, Entry>,
    definitions: Iterable<Definition>,
    refuse: (error: unknown) => void,
  ): Owned<Definition, Entry> {
    const isOwned = (key: string): boolean => this.#registrations.get(key) === owned.get(key)
    const now = new Map<string, Registration<Definition, Entry>>()
    for (const definition of definitions) {
      try {
        const key = this.keyOf(definition)
        if (now.has(key) || (this.#registrations.has(key) && !isOwned(key))) throw this.#taken(key)
        const before = owned.get(key)
        now.set(key, before?.definition === definition ? before : this.#register(definition))
      } catch (error) {
        refuse(error)
      }
    }
    this.#place(owned, now)
    return now
  }

  #place(owned: Owned<Definition, Entry>, now: Owned<Definition, Entry>): void {
    const all = new Map<string, Registration<Definition, Entry>>()
    const place = (): void => now.forEach((registration, key) => all.set(key, registration))
    for (const [key, registration] of this.#registrations) {
      if (owned.get(key) === registration) place()
      else all.set(key, registration)
    }
    place()
    const before = [...this.#registrations.values()]
    const after = [...all.values()]
    this.#registrations = all
    if (before.length === after.length && before.every((it, index) => it === after[index])) return
    this.#changed()
  }

  /** As if something had been registered: a list that is empty so far. */
  offer(): void {
    if (!this.#offered) this.#changed()
  }

  /**
   * Calls the listener once for all changes of one tick, a microtask later.
   *
   * @returns the function that ends it
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws `ERR_MCP_INVALID_DEFINITION` for what is no definition at all */
  keyOf(definition: Definition): string {
    if (isObject(definition)) return this.#options.key(definition)
    throw usageError(
      'ERR_MCP_INVALID_DEFINITION',
      `A ${this.#options.kind} is defined by an object with its name and handler, not by ${typeof definition}`,
    )
  }

  #register(definition: Definition): Registration<Definition, Entry> {
    return { definition, entry: this.#options.build(definition) }
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
    // Keeps the prototype: a definition may be an instance whose handler is a method of its class.
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
    registration.entry = this.#options.build(definition)
    registration.definition = definition
    this.#changed()
  }

  #changed(): void {
    this.#version++
    this.#offered = true
    this.#entries = undefined
    if (this.#scheduled || this.#listeners.size === 0) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      for (const listener of this.#listeners) listener()
    })
  }

  #taken(key: string): Error {
    return usageError(
      'ERR_MCP_DUPLICATE_NAME',
      `The ${this.#options.kind} ${JSON.stringify(key)} exists already and is kept; this one is left out`,
    )
  }

  /** The error for a key that is taken. */
  duplicate(key: string): Error {
    return usageError(
      'ERR_MCP_DUPLICATE_NAME',
      `The ${this.#options.kind} ${JSON.stringify(key)} exists already; pass { replace: true } to take its place`,
    )
  }
}
