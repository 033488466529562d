/** The contract suite on PostgreSQL. */
import { postgresEngine } from '../helpers/storage-postgres.ts'
import { describeStorage } from './storage-contract.ts'

describeStorage(postgresEngine)
