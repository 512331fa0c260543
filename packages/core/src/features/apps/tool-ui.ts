import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { Meta, Tool } from '../../protocol/types.ts'
import type { ClientView } from '../../call/request-context.ts'
import type { CallContext } from '../../call/context.ts'
import { invalid, type Subject } from '../registry/checks.ts'
import { memoize } from '../../util/memoize.ts'
import type { Guarded } from '../registry/handler.ts'

export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
export const APP_MEDIA_TYPE = 'text/html;profile=mcp-app'
/** An earlier key for the URI. Some authors write both keys. */
const FLAT_URI = 'ui/resourceUri'

function showsApps(client: ClientView): boolean {
  const types = client.extension(APPS_EXTENSION)?.['mimeTypes']
  return Array.isArray(types) && types.includes(APP_MEDIA_TYPE)
}

export function checkAppUri(subject: Subject, uri: unknown): void {
  if (typeof uri === 'string' && /^ui:\/\/./.test(uri) && URL.canParse(uri)) return
  throw invalid(
    subject,
    'needs a "ui://" URI, such as "ui://weather/dashboard", as the address of its user interface',
  )
}

/**
 * The `_meta` of a tool with a user interface, and a `visible` rule that allows only the tool's permitted
 * callers.
 */
export interface CompiledUi {
  readonly _meta: Meta
  readonly visible: Guarded['visible']
}

/** A tool in a list. */
interface ListedTool {
  readonly item: Tool
  /** The tool without its `relatedTools`. */
  readonly alone: Tool
}

/** The extension's code for tools. Servers without the extension do not load it. */
export interface ToolUi {
  /**
   * Reads `ui`, or the `_meta.ui` that other frameworks use.
   *
   * @returns undefined for a tool without a user interface
   */
  compile(subject: Subject, definition: UiDefinition, visible: Guarded['visible']): CompiledUi | undefined
  /**
   * Returns a function that removes user interfaces from tools, or undefined if the client shows user
   * interfaces.
   */
  plainFor(
    client: ClientView,
  ): (<Entry extends ListedTool>(entries: readonly Entry[]) => readonly Entry[]) | undefined
}

export function createToolUi(): ToolUi {
  const plain = memoize((entry: ListedTool) => ({
    ...entry,
    item: withoutUi(entry.item),
    alone: withoutUi(entry.alone),
  }))
  const allPlain = memoize((entries: readonly ListedTool[]) => entries.map((entry) => plain(entry)))
  // The cast is safe, because each entry keeps its type.
  const plainOf = allPlain as <Entry extends ListedTool>(entries: readonly Entry[]) => readonly Entry[]
  return { compile: uiOf, plainFor: (client) => (showsApps(client) ? undefined : plainOf) }
}

interface UiDefinition {
  readonly ui?: unknown
  readonly _meta?: Meta | undefined
}

function uiOf(
  subject: Subject,
  { ui, _meta }: UiDefinition,
  visible: Guarded['visible'],
): CompiledUi | undefined {
  const given = ui ?? _meta?.['ui']
  if (given === undefined) return undefined
  if (!isObject(given)) throw invalid(subject, 'needs an object as its ui')
  if (ui !== undefined && _meta?.['ui'] !== undefined)
    throw invalid(subject, 'has its ui twice, in ui and in _meta.ui: remove one')
  const { resourceUri, visibility } = given
  if (resourceUri !== undefined) checkAppUri(subject, resourceUri)
  if (!isVisibility(visibility))
    throw invalid(subject, 'needs "model", "app" or both in an array as its ui.visibility')
  const forModels = visibility === undefined || visibility.includes('model')
  return { _meta: { ..._meta, ui: given }, visible: forModels ? visible : onlyForApps(visible) }
}

const isVisibility = (given: unknown): given is readonly string[] | undefined =>
  given === undefined ||
  (Array.isArray(given) && given.length > 0 && given.every((it) => it === 'model' || it === 'app'))

/** Hides a tool from clients that do not show user interfaces, because they would offer the tool to their model. */
const onlyForApps =
  (visible: Guarded['visible']): Guarded['visible'] =>
  (ctx: CallContext) =>
    showsApps(ctx.client) && (visible === undefined || visible(ctx))

function withoutUi(tool: Tool): Tool {
  const { _meta, ...rest } = tool
  const { ui: _ui, [FLAT_URI]: _flat, ...others }: JsonObject = _meta ?? {}
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}
