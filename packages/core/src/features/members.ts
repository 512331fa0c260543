import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { Annotations } from '../protocol/types.ts'
import { nearestName, type OptionNames } from '../util/check-options.ts'
import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'
import { invalid, type Subject } from './registry/checks.ts'

/** The members of one kind of definition. */
interface MemberNames {
  readonly known: object
  /** The names used for each member in other frameworks. */
  readonly synonyms: Readonly<Record<string, string>>
}

/** The members that definitions of every kind have. */
const SHOWN = { name: 1, title: 1, description: 1, icons: 1, _meta: 1 }
const COMMON = { ...SHOWN, handler: 1, timeoutMs: 1, visible: 1, scopes: 1 }

const SHORT_HINTS = { readOnly: 1, destructive: 1, idempotent: 1, openWorld: 1 }
const LONG_HINTS = { title: 1, readOnlyHint: 1, destructiveHint: 1, idempotentHint: 1, openWorldHint: 1 }
const HINTS: OptionNames<NonNullable<AnyTool['annotations']>> = { ...SHORT_HINTS, ...LONG_HINTS }

/** The names below `annotations` are checked as well. */
const TOOL: OptionNames<AnyTool> = {
  ...COMMON,
  inputSchema: 1,
  outputSchema: 1,
  wrapOutput: 1,
  annotations: HINTS,
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

const ANNOTATIONS: OptionNames<Annotations> = { audience: 1, priority: 1, lastModified: 1 }
const READ: OptionNames<Omit<AnyResource, 'uri' | 'size'>> = {
  ...COMMON,
  mimeType: 1,
  annotations: ANNOTATIONS,
  onSubscribe: 1,
  onUnsubscribe: 1,
  cache: 1,
}
const RESOURCE: OptionNames<AnyResource> = { ...READ, uri: 1, size: 1 }
const TEMPLATE: OptionNames<AnyResourceTemplate> = { ...READ, uriTemplate: 1, complete: 1, list: 1 }
const PROMPT: OptionNames<AnyPrompt> = { ...COMMON, argsSchema: 1, arguments: 1, complete: 1 }

const named = (meant: string, ...synonyms: readonly string[]): MemberNames['synonyms'] =>
  Object.fromEntries(synonyms.map((synonym) => [synonym, meant]))

/**
 * The handler's names in other frameworks: `execute` in AI SDK, FastMCP and Mastra, `run` in Anthropic's SDK,
 * `func` in LangChain and `cb` in mcp-use.
 */
const FUNCTIONS = named('handler', 'execute', 'run', 'callback', 'cb', 'fn', 'func', 'load', 'read')

/** The member names, by kind of definition. */
const MEMBERS: Readonly<Record<string, MemberNames>> = {
  tool: {
    known: TOOL,
    synonyms: {
      ...FUNCTIONS,
      ...named('inputSchema', 'parameters', 'input', 'schema', 'args', 'argsSchema'),
      output: 'outputSchema',
      canAccess: 'visible',
    },
  },
  resource: { known: RESOURCE, synonyms: FUNCTIONS },
  'resource template': { known: TEMPLATE, synonyms: { ...FUNCTIONS, template: 'uriTemplate' } },
  prompt: {
    known: PROMPT,
    synonyms: { ...FUNCTIONS, ...named('argsSchema', 'inputSchema', 'parameters', 'schema', 'args') },
  },
}

/**
 * Refuses a field that is most likely a wrong name for a missing one. Any other field is left to the author,
 * because a definition may be an instance of a class, or contain data for the author's middleware.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION`
 */
export function checkMembers(subject: Subject, definition: object): void {
  const { known, synonyms } = MEMBERS[subject.kind] as MemberNames
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
