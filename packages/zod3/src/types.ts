import type { StandardSchema } from '@jetway/core'

/**
 * Any zod 3 schema. It is recognised by its structure, because a program may load several copies of zod, such
 * as zod 4's `zod/v3`. `_input` and `_output` exist only as types.
 */
export interface Zod3Schema<Input = unknown, Output = unknown> {
  readonly _input: Input
  readonly _output: Output
  readonly _def: object
  /** A property that only zod 4 schemas have. */
  readonly _zod?: never
}

/** The parts of zod 3's definitions that this package uses. */
export interface Zod3Def {
  readonly typeName: string
  readonly description?: string
  /** The fields of an object. Other kinds of schemas use this name for something else. */
  readonly shape?: () => Readonly<Record<string, Zod3Node>>
  readonly unknownKeys?: 'strip' | 'strict' | 'passthrough'
  readonly catchall?: Zod3Node
  /** The element schema of an array, or the inner schema of a brand. */
  readonly type?: Zod3Node
  readonly items?: readonly Zod3Node[]
  readonly rest?: Zod3Node | null
  readonly valueType?: Zod3Node
  readonly options?: readonly Zod3Node[] | ReadonlyMap<unknown, Zod3Node>
  readonly left?: Zod3Node
  readonly right?: Zod3Node
  readonly innerType?: Zod3Node
  readonly schema?: Zod3Node
  readonly effect?: { readonly type: 'refinement' | 'transform' | 'preprocess' }
  readonly in?: Zod3Node
  readonly out?: Zod3Node
  readonly getter?: () => Zod3Node
  readonly value?: unknown
}

export interface Zod3Node {
  readonly _def: Zod3Def
}

export function optionsOf({ options = [] }: Zod3Def): readonly Zod3Node[] {
  return Symbol.iterator in options && !Array.isArray(options)
    ? [...(options as ReadonlyMap<unknown, Zod3Node>).values()]
    : (options as readonly Zod3Node[])
}

export type Side = 'input' | 'output'

export type StandardResult<Output> = Awaited<
  ReturnType<StandardSchema<unknown, Output>['~standard']['validate']>
>
export type StandardIssue = NonNullable<StandardResult<unknown>['issues']>[number]

/** The part of zod 4's public core that Jetway reads. See https://zod.dev/packages/core. */
export interface Zod4Schema extends Partial<StandardSchema> {
  readonly _zod: { readonly def: Zod4Def }
}

interface Zod4Def {
  readonly type: string
  readonly shape?: Readonly<Record<string, Zod4Schema>>
  readonly catchall?: Zod4Schema
  readonly element?: Zod4Schema
  readonly items?: readonly Zod4Schema[]
  readonly rest?: Zod4Schema | null
  readonly valueType?: Zod4Schema
  readonly options?: readonly Zod4Schema[]
  readonly left?: Zod4Schema
  readonly right?: Zod4Schema
  readonly innerType?: Zod4Schema
  readonly in?: Zod4Schema
  readonly out?: Zod4Schema
  readonly getter?: () => Zod4Schema
}
