import type * as whole from './session-routes.ts'

export const createSessionDoors: typeof whole.createSessionDoors = () => undefined

export const partsForSessions: typeof whole.partsForSessions = () => ({ events: undefined, pings: undefined })
