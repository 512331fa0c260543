export { change } from './change/change.ts'
export type {
  ArgumentChange,
  DefinitionChange,
  Next,
  PromptChange,
  SourceChanges,
  ToolChange,
} from './change/change-types.ts'
export { joinInstructions } from './instructions.ts'
export { only, type Patterns, type Selection } from './only.ts'
export { prefix, type PrefixOptions } from './prefix/prefix.ts'
export { relay } from './relay.ts'
export { type ServerSource, sourceOf } from './source-of.ts'
export type { ArgumentsOf, Described, TypedTool, TypedTools } from './types.ts'
export type { ViewOptions } from './view.ts'
