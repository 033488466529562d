import {test} from 'node:test'
import {startTestHub} from './helpers/http-hub.ts'
import {simulatePlatform,simulatedRecord} from './helpers/http-platform.ts'
import {registerPlatform,pullAll,push,newRecord,recordsOf,setStatus} from './helpers/http-actions.ts'
import {sqliteEngine} from './helpers/storage-sqlite.ts'
test('x', async()=>{ await using hub = await startTestHub(sqliteEngine);
 await using p = await simulatePlatform(); const r = await registerPlatform(hub,p); console.log(r)
 p.modules[0]?.records.push(simulatedRecord(1)); console.log(JSON.stringify(await pullAll(hub)), p.requests.at(-1))
 console.log((await push(hub,r.hub_api_key,newRecord('a'))).text)
 console.log(await recordsOf(hub,p.platform_name))
 await setStatus(hub,r.id,'inactive')
 console.log((await push(hub,r.hub_api_key,newRecord('a'))).text)
 console.log((await push(hub,r.hub_api_key,{})).text)
 console.log(hub.log())
})
