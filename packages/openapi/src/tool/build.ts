import type { JsonSchema } from '@jetway/core'
import type { Document, Operation } from '../document/model.ts'
import { OperationFault } from '../document/values.ts'
import { chooseSecurity, reservedNames } from '../request/credentials.ts'
import type { RequestPlan } from '../request/plan.ts'
import { Definitions } from '../schema/definitions.ts'
import { inlineReferences } from '../schema/inline.ts'
import { buildArguments } from './arguments.ts'
import { acceptedType, outputSchemaOf } from './output.ts'

/** An operation with all that a tool or a resource needs. */
export interface Built {
  readonly operation: Operation
  readonly plan: RequestPlan
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | undefined
  /** The media type of successful replies; undefined if it is not known. */
  readonly mimeType: string | undefined
}

export interface BuildOptions {
  readonly base: URL | undefined
  /** The names of the schemes that have credentials; undefined if operations are only looked at. */
  readonly auth: ReadonlyMap<string, unknown> | undefined
  readonly refs: 'defs' | 'inline'
  readonly results: 'described' | 'checked' | 'text'
  readonly report: (operation: Operation, problem: string) => void
}

/** Builds operations of one document, whose definitions they share. */
export class Builder {
  readonly #document: Document
  readonly #options: BuildOptions
  readonly #reserved: ReturnType<typeof reservedNames>
  readonly #requests: Definitions
  readonly #responses: Definitions
  #current: Operation | undefined

  constructor(document: Document, options: BuildOptions) {
    this.#document = document
    this.#options = options
    this.#reserved = reservedNames(document.schemes)
    const { root, oldSchemas } = document
    const report = (problem: string): void => {
      if (this.#current !== undefined) options.report(this.#current, problem)
    }
    this.#requests = new Definitions({ root, oldSchemas, direction: 'request', loose: false }, report)
    const loose = options.results !== 'checked'
    this.#responses = new Definitions({ root, oldSchemas, direction: 'response', loose }, () => {})
  }

  /** @throws OperationFault for an operation that cannot be called */
  build(operation: Operation): Built {
    this.#current = operation
    const { results, refs } = this.#options
    this.#checkServers(operation)
    const security = this.#security(operation)
    const { parameters, body, inputSchema } = buildArguments(operation, this.#requests, this.#reserved)
    const media = acceptedType(operation.success)
    const output = results === 'text' ? undefined : outputSchemaOf(media, this.#responses)
    const published = (schema: JsonSchema): JsonSchema =>
      refs === 'inline' ? inlineReferences(schema) : schema
    const { key, method, path } = operation
    return {
      operation,
      plan: { key, method, path, parameters, body, security, accept: acceptOf(media?.type) },
      inputSchema: published(inputSchema),
      outputSchema: output && published(output),
      mimeType: media?.type,
    }
  }

  #security({ security }: Operation): readonly string[] {
    const { auth } = this.#options
    if (auth === undefined) return []
    const chosen = chooseSecurity(security, this.#document.schemes, auth)
    if (chosen !== undefined) return chosen
    const needed = security.map((names) => names.join(' and ')).join(', or ')
    throw new OperationFault(`it needs credentials; set auth for ${needed}`)
  }

  /** @throws OperationFault for an operation that has a different server, because requests go to `baseUrl` */
  #checkServers({ servers }: Operation): void {
    const { base } = this.#options
    const isKnown = (server: string): boolean =>
      this.#document.servers.includes(server) ||
      !URL.canParse(server) ||
      (base !== undefined && new URL(server).href.replace(/\/$/, '') === base.href.replace(/\/$/, ''))
    if (servers.length === 0 || base === undefined || servers.some(isKnown)) return
    throw new OperationFault(
      `it has its own server ${servers[0]?.slice(0, 128)}; serve it by another openApi with this baseUrl`,
    )
  }
}

function acceptOf(type: string | undefined): string {
  const first = type === undefined || !/^[\w.+-]+\/[\w.+-]+$/.test(type) ? 'application/json' : type
  return `${first}, */*;q=0.1`
}
