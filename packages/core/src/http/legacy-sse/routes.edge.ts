import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './routes.ts'
import type { Route } from '../types.ts'

export const resolveSsePaths: typeof whole.resolveSsePaths = (option = false) => {
  if (option !== false) throw leftOut('The option legacySse')
  return undefined
}

export const doorOf: typeof whole.routeOf = () => 'mcp'

export const doorPaths: typeof whole.routePaths = (path, legacySse) => {
  resolveSsePaths(legacySse)
  return new Map<string, Route>([[path.startsWith('/') ? path : `/${path}`, 'mcp']])
}
