import type * as whole from './session-routes.ts'

export const createSessionRoutes: typeof whole.createSessionRoutes = () => undefined

export const partsForSessions: typeof whole.partsForSessions = () => ({ events: undefined, pings: undefined })
