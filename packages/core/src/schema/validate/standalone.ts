import { ajvOptions, bareSchema, compileIn } from './ajv.ts'
import type { Ajv, CreateAjv, ValidateFunction } from './ajv-types.ts'
import { dialectOf } from '../convert/dialect.ts'
import { FORMATS } from './formats.ts'
import { HELPER_OF_FORMAT } from './standalone-helpers.ts'
import type { StandaloneCode } from '../cache/cache.ts'
import type { JsonSchema } from '../types.ts'

type Source = NonNullable<ValidateFunction['source']>
type Scope = Source['scopeValues']
type ScopeName = Scope[string] extends Set<infer Name> | undefined ? Name : never

/**
 * Writes a validator down, of a schema that is the published one or none of it. An instance of its own gives it the same names whatever else is compiled, so that the code
 * depends on the schema alone.
 *
 * @throws Error for what cannot be written down
 */
export function standaloneCode(
  schema: JsonSchema,
  published: JsonSchema,
  createAjv: CreateAjv,
): StandaloneCode {
  const dialect = dialectOf(schema)
  const bare = bareSchema(schema)
  // Metaschemas take most of an instance's making, and few schemas refer to them.
  const meta = JSON.stringify(bare).includes('json-schema.org/')
  const options = ajvOptions(dialect)
  const ajv: Ajv = createAjv(dialect, {
    ...options,
    meta,
    code: { ...options.code, source: true, lines: true },
  })
  const validate = compileIn(ajv, bare, false)
  const writer = new Writer(published)
  if (schema === published) writer.locate(bare, 'published')
  writer.write(validate)
  return { code: writer.code(nameOf(validate)), helpers: [...writer.helpers].toSorted() }
}

function sourceOf({ source }: ValidateFunction): Source {
  if (source === undefined) throw new Error('it has no source')
  return source
}

const nameOf = (validate: ValidateFunction): string => String(sourceOf(validate).validateName)

/** Puts down what a validator refers to before the validator itself, each thing once. */
class Writer {
  readonly helpers = new Set<string>()
  readonly #lines: string[] = []
  readonly #written = new Set<string>()
  /** Where the schema and its parts are found, so that they need not be written again. */
  readonly #paths = new Map<object, string>()

  constructor(published: JsonSchema) {
    this.locate(published, 'published')
  }

  /** Makes known that a value and its parts need not be written. */
  locate(value: unknown, path: string): void {
    if (typeof value !== 'object' || value === null || this.#paths.has(value)) return
    this.#paths.set(value, path)
    for (const [key, part] of Object.entries(value)) this.locate(part, `${path}[${literal(key)}]`)
  }

  code(name: string): string {
    return [...this.#lines, `return ${name}`].join('\n')
  }

  write(validate: ValidateFunction): void {
    const { validateName, validateCode, scopeValues, evaluated } = sourceOf(validate)
    // Also breaks the circle of schemas that refer to themselves; functions are known before their line.
    if (!this.#isNew(String(validateName))) return
    for (const names of Object.values(scopeValues)) names?.forEach((name) => this.#define(name))
    this.#lines.push(String(validateCode))
    if (evaluated !== undefined) this.#lines.push(`${String(validateName)}.evaluated = ${String(evaluated)}`)
  }

  #isNew(name: string): boolean {
    if (this.#written.has(name)) return false
    this.#written.add(name)
    return true
  }

  #define(name: ScopeName): void {
    const ref: unknown = name.value?.ref
    if (name.prefix === 'validate') {
      this.write(ref as ValidateFunction)
    } else if (name.prefix === 'root' || name.prefix === 'wrapper') {
      const { validate, validateName } = ref as { validate?: ValidateFunction; validateName: unknown }
      if (this.#isNew(String(name)))
        this.#lines.push(`const ${String(name)} = { validate: ${String(validateName)} }`)
      if (validate !== undefined) this.write(validate)
    } else if (this.#isNew(String(name))) {
      this.#lines.push(`const ${String(name)} = ${this.#valueOf(name)}`)
    }
  }

  #valueOf({ prefix, value }: ScopeName): string {
    const ref: unknown = value?.ref
    if (prefix === 'schema') return this.#paths.get(ref as object) ?? literal(ref)
    if (prefix === 'pattern') return patternOf(ref as RegExp)
    if (prefix === 'formats') return this.#format(String(value?.key))
    const helper = HELPERS.get(String(value?.code))
    if (prefix === 'func' && helper !== undefined) return this.#use(helper)
    throw new Error(`it needs ${String(value?.code ?? prefix)}, which a cache cannot have`)
  }

  #use(helper: string): string {
    if (!helper.includes('.')) this.helpers.add(helper)
    return helper
  }

  #format(name: string): string {
    // Names that every object has are formats to ajv, and let all values through.
    if (!Object.hasOwn(FORMATS, name)) return '() => true'
    return this.#use(HELPER_OF_FORMAT[name]!)
  }
}

/** What validators call, as ajv names it, and as it is called here. */
const HELPERS = new Map([
  ['Object.prototype.hasOwnProperty', 'Object.prototype.hasOwnProperty'],
  ['require("ajv/dist/runtime/ucs2length").default', 'textLength'],
  ['require("ajv/dist/runtime/equal").default', 'isEqual'],
])

/** JSON as it may stand in a module: as a literal, a `__proto__` would set the prototype instead of a property. */
export function literal(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(json)})` : json
}

const patternOf = ({ source, flags }: RegExp): string => `new RegExp(${literal(source)}, ${literal(flags)})`
