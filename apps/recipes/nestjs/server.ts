export { authenticate, createServer } from '@jetway-recipes/suite/server'
