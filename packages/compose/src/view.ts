import { type Awaitable, chain } from '@jetway/core/compose'
import { isObject } from '@jetway/core/protocol'
import { stderrLogger, type Logger } from '@jetway/core/stores'
import { type AnySource, type Prompt, type Resource, type Template, type Tool } from './definitions.ts'
import type { Described } from './types.ts'

type Change<Definition> = (definitions: readonly Definition[]) => Awaitable<readonly Definition[]>

/** How a view changes the lists of its source. A kind without a function stays as it is. */
export interface Changes {
  readonly tools?: Change<Tool>
  readonly resources?: Change<Resource>
  readonly resourceTemplates?: Change<Template>
  readonly prompts?: Change<Prompt>
  readonly event?: (event: SourceEvent) => SourceEvent
}

export type SourceEvent = Parameters<Parameters<NonNullable<AnySource['onEvent']>>[0]>[0]

/** Options that all views have. */
export interface ViewOptions {
  /** Receives warnings about definitions that the view leaves out. @default warnings and errors go to stderr */
  readonly logger?: Logger
}

export const loggerOf = ({ logger = stderrLogger }: ViewOptions): Logger => logger

/** Returns a source with changed lists. It follows the given source, and offers what that source offers. */
export function viewOf(
  source: AnySource & Described,
  changes: Changes,
  described: Described = {},
): AnySource {
  const { event } = changes
  const list = <Definition extends object>(
    read: (() => Iterable<Definition> | Promise<Iterable<Definition>>) | undefined,
    change: Change<Definition> | undefined,
    key: string,
  ): (() => Awaitable<readonly Definition[]>) | undefined =>
    read &&
    (() =>
      chain(read(), (given) => {
        const all = [...given]
        if (change === undefined) return all
        // The server that observes the view refuses definitions without a name, and logs them.
        const isNamed = (it: Definition): boolean => isObject(it) && typeof it[key] === 'string'
        const rest = all.filter((it) => !isNamed(it))
        return chain(change(all.filter(isNamed)), (changed) =>
          rest.length === 0 ? changed : [...changed, ...rest],
        )
      }))
  const view = {
    title: source.title,
    instructions: source.instructions,
    ...described,
    get tools() {
      return list(source.tools?.bind(source), changes.tools, 'name')
    },
    get resources() {
      return list(source.resources?.bind(source), changes.resources, 'uri')
    },
    get resourceTemplates() {
      return list(source.resourceTemplates?.bind(source), changes.resourceTemplates, 'uriTemplate')
    },
    get prompts() {
      return list(source.prompts?.bind(source), changes.prompts, 'name')
    },
    onChange: (listener: () => void) => source.onChange(listener),
    onEvent: (listener: (event: SourceEvent) => void) =>
      source.onEvent?.((given) => listener(event?.(given) ?? given)),
    contains: (runtime: object) => source.contains?.(runtime) === true,
  }
  return view as AnySource
}

/**
 * Changes each definition, and leaves out those whose change fails. The error is logged.
 *
 * @param name - returns the name that the log has
 */
export function each<Definition>(
  definitions: readonly Definition[],
  change: (definition: Definition) => Definition | undefined,
  { logger, name }: { readonly logger: Logger; readonly name: (definition: Definition) => string },
): readonly Definition[] {
  return definitions.flatMap((definition) => {
    try {
      return change(definition) ?? []
    } catch (err) {
      logger.error({ err, name: name(definition) }, 'A definition of a composed source was left out')
      return []
    }
  })
}
