import { dirname } from 'node:path'
import { packageOf } from './package.ts'

/** Explains to the author why a file does not compile. */
export interface ImportFailure {
  readonly message: string
  readonly hint: string
}

/** Files whose module system is determined by the nearest `package.json`. */
const BY_PACKAGE = /\.[jt]sx?$/i
const TYPESCRIPT = /\.tsx?$/i
/** The error messages of Node.js and esbuild for an ES module that is run as CommonJS. */
const COMMONJS =
  /"cjs" output format|outside a module|ERR_REQUIRE_(?:ESM|ASYNC_MODULE)|Unexpected token 'export'|await is only valid in async functions|'import\.meta' outside/

/** Describes an import error for a file that does not compile, without the compiler's stack. */
export function importFailure(file: string, error: unknown): ImportFailure | undefined {
  if (!(error instanceof Error) || !isSyntaxError(error)) return undefined
  const text = textOf(error)
  if (BY_PACKAGE.test(file) && packageOf(file)?.content['type'] !== 'module') {
    // Node.js reports type annotations in a CommonJS file as syntax errors.
    const isTyped = TYPESCRIPT.test(file) && error.name === 'SyntaxError'
    if (isTyped || COMMONJS.test(text) || COMMONJS.test(String((error as NodeJS.ErrnoException).code)))
      return {
        message: `${file} runs as CommonJS, because its package is not "type": "module":\n${text}`,
        hint: `Run npm pkg set type=module in ${packageOf(file)?.folder ?? dirname(file)}`,
      }
  }
  return { message: `${file} does not compile:\n${text}`, hint: 'Correct the file' }
}

const isSyntaxError = (error: Error): boolean =>
  error instanceof SyntaxError ||
  error.name === 'TransformError' ||
  'errors' in error ||
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_REQUIRE_')

/** Returns the position and the message. The stack of a SyntaxError begins with the source line. */
function textOf({ name, message, stack = message }: Error): string {
  if (name === 'TransformError')
    return message.replace(/^Transform failed with \d+ errors?:\n/, '').replaceAll(': ERROR: ', ': ')
  return stack.split(/\n {4}at /, 1)[0] ?? message
}
