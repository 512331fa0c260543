import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { Annotations } from '../protocol/types.ts'
import { nearestName, type OptionNames } from '../util/check-options.ts'
import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'
import { invalid, type Subject } from './registry/checks.ts'

/** The members that definitions of one kind can have. */
interface MemberNames {
  readonly known: object
  /** The names that other frameworks use for each member. */
  readonly synonyms: Readonly<Record<string, string>>
}

/** The member names by kind of definition, created for the first definition. */
let memberNames: Readonly<Record<string, MemberNames>> | undefined

/** This is a function because bundlers keep a table that is built from other tables, even if nothing uses it. */
function createMembers(): Readonly<Record<string, MemberNames>> {
  // The members that definitions of every kind have.
  const shown = { name: 1, title: 1, description: 1, icons: 1, _meta: 1 }
  const common = { ...shown, handler: 1, timeoutMs: 1, visible: 1, scopes: 1 }

  const shortHints = { readOnly: 1, destructive: 1, idempotent: 1, openWorld: 1 }
  const longHints = { title: 1, readOnlyHint: 1, destructiveHint: 1, idempotentHint: 1, openWorldHint: 1 }
  const hints: OptionNames<NonNullable<AnyTool['annotations']>> = { ...shortHints, ...longHints }

  // The names inside `annotations` are checked as well.
  const tool: OptionNames<AnyTool> = {
    ...common,
    inputSchema: 1,
    outputSchema: 1,
    wrapOutput: 1,
    annotations: hints,
    asks: 1,
    strictInput: 1,
    validateOutput: 1,
    maxResultBytes: 1,
    taskSupport: 1,
    immediateResponse: 1,
    ui: 1,
    priority: 1,
    relatedTools: 1,
    cacheControl: 1,
    relayed: 1,
    alias: 1,
  }

  const annotations: OptionNames<Annotations> = { audience: 1, priority: 1, lastModified: 1 }
  const read: OptionNames<Omit<AnyResource, 'uri' | 'size'>> = {
    ...common,
    mimeType: 1,
    annotations,
    onSubscribe: 1,
    onUnsubscribe: 1,
    cache: 1,
  }
  const resource: OptionNames<AnyResource> = { ...read, uri: 1, size: 1 }
  const template: OptionNames<AnyResourceTemplate> = { ...read, uriTemplate: 1, complete: 1, list: 1 }
  const prompt: OptionNames<AnyPrompt> = { ...common, argsSchema: 1, arguments: 1, complete: 1 }
  // The names that other frameworks use for the handler: `execute` in AI SDK, FastMCP and Mastra, `run` in
  // Anthropic's SDK, `func` in LangChain and `cb` in mcp-use.
  const functions = named('handler', 'execute', 'run', 'callback', 'cb', 'fn', 'func', 'load', 'read')

  return {
    tool: {
      known: tool,
      synonyms: {
        ...functions,
        ...named('inputSchema', 'parameters', 'input', 'schema', 'args', 'argsSchema'),
        output: 'outputSchema',
        canAccess: 'visible',
      },
    },
    resource: { known: resource, synonyms: functions },
    'resource template': { known: template, synonyms: { ...functions, template: 'uriTemplate' } },
    prompt: {
      known: prompt,
      synonyms: { ...functions, ...named('argsSchema', 'inputSchema', 'parameters', 'schema', 'args') },
    },
  }
}

const named = (meant: string, ...synonyms: readonly string[]): MemberNames['synonyms'] =>
  Object.fromEntries(synonyms.map((synonym) => [synonym, meant]))

/**
 * Rejects a field that is most likely a wrong name for a missing one. Other fields are accepted, because a
 * definition may be an instance of a class, or contain data for the author's middleware.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION`
 */
export function checkMembers(subject: Subject, definition: object): void {
  const { known, synonyms } = (memberNames ??= createMembers())[subject.kind] as MemberNames
  if (subject.kind === 'resource') checkIsNoTemplate(definition as JsonObject)
  checkGroup(subject, definition as JsonObject, known as JsonObject, synonyms, '')
}

function checkGroup(
  subject: Subject,
  members: JsonObject,
  known: JsonObject,
  synonyms: JsonObject,
  prefix: string,
): void {
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (isObject(known[name]) && isObject(value)) checkGroup(subject, value, known[name], {}, `${name}.`)
    if (Object.hasOwn(known, name) || value === undefined) continue
    const synonym = Object.hasOwn(synonyms, name) ? (synonyms[name] as string) : undefined
    const meant = synonym ?? nearestName(name, Object.keys(known))
    if (meant === undefined || members[meant] !== undefined) continue
    const advice = synonym === undefined ? `did you mean ${meant}?` : `in Jetway its name is ${meant}`
    throw invalid(subject, `has an unknown member ${JSON.stringify(prefix + name)}: ${advice}`)
  }
}

function checkIsNoTemplate({ uri, uriTemplate = uri }: JsonObject): void {
  // A URI cannot contain braces. See https://www.rfc-editor.org/rfc/rfc3986#section-2.
  if (typeof uriTemplate !== 'string' || !uriTemplate.includes('{')) return
  const advice = 'is a URI template: register it with addResourceTemplate, as uriTemplate'
  throw invalid({ kind: 'resource', name: uriTemplate }, advice)
}
