import type { BRAND } from '../registry/brand.ts'

type Keys<T> = T extends unknown ? keyof T : never

/**
 * The protocol's blocks with their required members. Optional members are not compared, because SDKs declare
 * them differently.
 */
type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | { readonly type: 'resource'; readonly resource: Contents }
type Contents = { readonly uri: string } & ({ readonly text: string } | { readonly blob: string })

type BlockMember =
  | Keys<Block>
  | 'annotations'
  | '_meta'
  | 'title'
  | 'description'
  | 'mimeType'
  | 'size'
  | 'icons'
type ContentsMember = 'uri' | 'mimeType' | 'text' | 'blob' | '_meta'

/** The optional members of a tool result whose types are checked. */
interface Result {
  readonly isError?: boolean | undefined
  readonly _meta?: object | undefined
}

/**
 * A value that JSON serialises as `{}`. `Error` is not included, because data with a name and a message would
 * match its type.
 */
type Lost = ReadonlyMap<never, unknown> | ReadonlySet<unknown>

type Unsendable = 'JSON cannot carry this value: send a plain object or an array, and await promises'

type IsAny<T> = 0 extends 1 & T ? true : false

/** The problem with the return value of a tool without an `outputSchema`; `never` if there is none. */
export type ToolProblem<R> =
  IsAny<R> extends true
    ? never
    : R extends { readonly [BRAND]: unknown }
      ? never
      : R extends Lost
        ? Unsendable
        : R extends readonly (infer Item)[]
          ? ItemProblem<Item, BareProblem<Item>>
          : R extends object
            ?
                | BareProblem<R>
                | ListProblem<R, 'content', Block, Result & { readonly content: unknown }, ToolMember>
            : never

type ToolMember = 'content' | 'structuredContent' | 'isError' | '_meta' | 'resultType'

/** Accepts `any` and `never`. The items of `[]` have the type `never`. */
type ItemProblem<Item, Bare> = [Item] extends [never]
  ? never
  : IsAny<Item> extends true
    ? never
    : [Item] extends [PromiseLike<unknown>]
      ? Unsendable
      : Bare

/** The problem with blocks that are not part of a result; `never` if there is none. */
type BareProblem<T> = [T] extends [{ readonly [BRAND]: unknown }]
  ? never
  : [T] extends [{ readonly type: Block['type'] }]
    ? [Keys<T>] extends [BlockMember]
      ? 'Content blocks need a result: return { content: [...] }, or make blocks with content.text(…) and so on'
      : never
    : never

/**
 * An object counts as a result if it has only members of a result, or if all items of its list are valid and
 * another member is misspelt.
 */
type ListProblem<R, List extends string, Item, Whole, Member extends string> = string extends keyof R
  ? never
  : List extends keyof R
    ? [keyof R] extends [Member]
      ? R extends Whole & { readonly [K in List]: readonly Item[] }
        ? never
        : `This is nearly a result: a member of it, or of an item of its ${List}, does not have the type that the protocol gives it`
      : R[List & keyof R] extends readonly [] | readonly never[]
        ? never
        : R[List & keyof R] extends readonly Item[]
          ? `This is nearly a result, but no result has the member ${Extract<Exclude<keyof R, Member>, string>}`
          : never
    : never

/** The problem with a resource's return value; `never` if there is none. */
export type ReadProblem<R> =
  IsAny<R> extends true
    ? never
    : R extends { readonly [BRAND]: unknown }
      ? never
      : R extends Lost
        ? Unsendable
        : R extends readonly (infer Item)[]
          ? ItemProblem<Item, BareContents<Item>>
          : R extends object
            ?
                | BareContents<R>
                | ListProblem<R, 'contents', Contents, { readonly _meta?: object | undefined }, ReadMember>
            : never

type ReadMember = 'contents' | '_meta' | 'ttlMs' | 'cacheScope' | 'resultType'

type BareContents<T> = [T] extends [Contents]
  ? [Keys<T>] extends [ContentsMember]
    ? 'The contents of a resource need a result: return { contents: [...] }'
    : never
  : never

/** Adds a problem to the type of a definition, so that the compiler reports it at the handler. */
export type Refuse<Problem extends string> = [Problem] extends [never]
  ? unknown
  : { readonly handler: Problem }
