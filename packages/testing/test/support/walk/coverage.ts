import { Session } from 'node:inspector/promises'

/** A function in a package's sources that has run. */
export interface Ran {
  /** The file, such as `core/http/endpoint`: the package name, followed by the path inside its `src`. */
  readonly file: string
  readonly name: string
  /** The position in the transformed source, because several functions in a file may have the same name. */
  readonly start: number
}

/** Matches the URL of a source. It covers the `src` of any package, so it works in every checkout. */
const SOURCE = /packages\/([a-z0-9-]+)\/src\/(.+)\.ts/

/**
 * Starts to count function calls with V8's precise coverage. The returned function lists what has run since
 * it was last called.
 */
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
        // A range that starts at 0 stands for the module itself.
        range !== undefined && range.count > 0 && range.startOffset > 0
          ? [{ file: `${member}/${path}`, name: functionName, start: range.startOffset }]
          : [],
      )
    })
  }
}

/** Returns the number of frames on the stack that belong to sources, including those before an `await`. */
export function sourceFrames(): number {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 200
  const { stack = '' } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return stack.split('\n').filter((line) => /packages\/[a-z0-9-]+\/src\//.test(line)).length
}
