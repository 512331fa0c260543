export { authenticate, server } from '@jetway-recipes/suite/server'
