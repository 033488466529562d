import { sqliteEngine } from '../helpers/storage-sqlite.ts'
import { describeIncomingAttacks } from './incoming.suite.ts'

describeIncomingAttacks(sqliteEngine)
