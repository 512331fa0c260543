import { realpathSync } from 'node:fs'

/**
 * Matches folders that are caches or whose names contain a version. An entry stops working when an update
 * removes such a folder.
 */
const SHORT_LIVED =
  /[\\/](?:\.?nvm|fnm_multishells|\.?fnm|mise|\.?volta|\.?asdf|\.?nodenv|nodejs[\\/]v\d[^\\/]*|n[\\/]versions|Cellar|_npx)[\\/]/i

export const belongsToVersion = (path: string): boolean =>
  SHORT_LIVED.test(path) || SHORT_LIVED.test(resolved(path))

function resolved(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
