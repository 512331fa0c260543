import { Session } from 'node:inspector/promises'

/** A function of a package's source that has run. */
export interface Ran {
  /** Such as `core/http/endpoint`: the package, and the path in its `src`. */
  readonly file: string
  readonly name: string
  /** The place in the transformed source: several functions of a file may have one name. */
  readonly start: number
}

/** The URL of a source. Each package's `src` is counted, so this works in every checkout. */
const SOURCE = /packages\/([a-z0-9-]+)\/src\/(.+)\.ts/

/** Counts calls of functions from now on, by V8's precise coverage. The result lists what ran since it was last called. */
export async function startCoverage(): Promise<() => Promise<Ran[]>> {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return async () => {
    const { result } = await inspector.post('Profiler.takePreciseCoverage')
    return result.flatMap(({ url, functions }) => {
      const [, member, path] = SOURCE.exec(url) ?? []
      if (member === undefined) return []
      return functions.flatMap(({ functionName, ranges: [range] }) =>
        // A range that starts at 0 is the module itself.
        range !== undefined && range.count > 0 && range.startOffset > 0
          ? [{ file: `${member}/${path}`, name: functionName, start: range.startOffset }]
          : [],
      )
    })
  }
}

/** The frames of sources on the stack, those before an `await` included. */
export function sourceFrames(): number {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 200
  const { stack = '' } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return stack.split('\n').filter((line) => /packages\/[a-z0-9-]+\/src\//.test(line)).length
}
