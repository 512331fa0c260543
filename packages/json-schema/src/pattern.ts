/**
 * Compiles a `pattern` with the given flags, or without flags if that fails. Patterns should be compiled with
 * the `u` flag, but many patterns, such as `[\w-.]`, were written without considering this.
 *
 * @throws SyntaxError for a pattern that cannot be compiled without flags either
 */
export function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
