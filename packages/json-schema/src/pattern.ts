/**
 * Compiles a `pattern`. If it does not compile with the flags, compiles it without them. Patterns should be
 * compiled with the flag `u`, but the authors of many patterns, such as `[\w-.]`, did not consider this.
 *
 * @throws SyntaxError for a pattern that does not compile without flags either
 */
export function compilePattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
