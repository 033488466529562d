import { postgresEngine } from '../helpers/storage-postgres.ts'
import { describeIncomingAttacks } from './incoming.suite.ts'

describeIncomingAttacks(postgresEngine)
