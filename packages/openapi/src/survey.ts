import { viewOf } from './choose.ts'
import type { Fault, Operation, OperationView } from './document/model.ts'
import { readDocument } from './document/read.ts'
import { OperationFault } from './document/values.ts'
import { DEFAULTS } from './options.ts'
import { Builder } from './tool/build.ts'
import { describeOperation } from './tool/description.ts'
import { Names, wantedName } from './tool/names.ts'

/** An operation that can become a tool. */
export interface SurveyedOperation extends OperationView {
  /** The name of its tool, if all operations become tools. */
  readonly name: string
  /** About how many tokens its tool takes in each request to a model. */
  readonly tokens: number
}

/** What {@link survey} finds in a document. */
export interface Survey {
  readonly title: string
  readonly servers: readonly string[]
  /** The names of the security schemes. */
  readonly schemes: readonly string[]
  readonly operations: readonly SurveyedOperation[]
  readonly faults: readonly Fault[]
}

const CHARACTERS_PER_TOKEN = 4

/**
 * Lists the operations of a document, with the size of their tools, to choose from.
 *
 * @throws UsageError `ERR_MCP_OPTION` for a value that is no OpenAPI document
 */
export function survey(document: object): Survey {
  const read = readDocument(document, DEFAULTS.operations)
  const found = [...read.faults]
  const names = new Names()
  const report = ({ key: where }: Operation, problem: string, leftOut = false): void =>
    void found.push({ where, problem, leftOut })
  const builder = new Builder(read, {
    base: undefined,
    auth: undefined,
    refs: 'defs',
    results: 'text',
    report,
  })
  const operations = read.operations.flatMap((operation): SurveyedOperation[] => {
    try {
      const { inputSchema } = builder.build(operation)
      const name = names.take(wantedName(operation), operation.key)
      const text = JSON.stringify({ name, description: describeOperation(operation), inputSchema })
      return [{ ...viewOf(operation), name, tokens: Math.ceil(text.length / CHARACTERS_PER_TOKEN) }]
    } catch (error) {
      if (!(error instanceof OperationFault)) throw error
      report(operation, error.message, true)
      return []
    }
  })
  const { title, servers, schemes } = read
  return { title, servers, schemes: [...schemes.keys()], operations, faults: found }
}
