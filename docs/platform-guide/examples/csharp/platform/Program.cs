using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

var sourceKey = Environment.GetEnvironmentVariable("SOURCE_API_KEY")
    ?? throw new InvalidOperationException("Set SOURCE_API_KEY");
var manifest = JsonNode.Parse(File.ReadAllText("manifest.json"))!;
var platformName = manifest["platform_name"]!.GetValue<string>();
var modules = manifest["modules"]!.AsArray();

// All records, or those of one module. Replace with a query that reads row by row, such as AsAsyncEnumerable()
// of Entity Framework.
IEnumerable<JsonObject> ReadRecords(string? recordType = null) =>
    File.ReadLines("records.ndjson")
        .Select(line => JsonNode.Parse(line)!.AsObject())
        .Where(record => recordType is null || record["record_type"]!.GetValue<string>() == recordType);

// Replace with SELECT count(*).
int CountRecords(string recordType) => ReadRecords(recordType).Count();

// Changes whenever a record of the module changes. Replace with a query of "The ETag" in the guide.
string ReadVersion(string recordType)
{
    var file = new FileInfo("records.ndjson");
    return $"{file.Length}-{file.LastWriteTimeUtc.Ticks}";
}

byte[] Digest(string text) => SHA256.HashData(Encoding.UTF8.GetBytes(text));

var app = WebApplication.CreateBuilder(args).Build();
var hub = app.MapGroup("/api/hub");

hub.AddEndpointFilter(async (context, next) =>
{
    var given = context.HttpContext.Request.Headers["X-PLATFORM-API-KEY"].ToString();
    return CryptographicOperations.FixedTimeEquals(Digest(given), Digest(sourceKey))
        ? await next(context)
        : Results.Json(new { success = false, message = "The key is wrong." }, statusCode: 401);
});

hub.MapGet("/ping", () => Results.Json(new
{
    success = true,
    message = $"{manifest["platform_title"]} is online.",
    platform_name = platformName,
}));

hub.MapGet("/manifest", () => Results.Text(manifest.ToJsonString(), "application/json"));

hub.MapGet("/records/{recordType}", (string recordType, HttpContext context) =>
{
    var module = modules.FirstOrDefault(one => one!["record_type"]!.GetValue<string>() == recordType);
    if (module is null)
    {
        return Results.Json(new { success = false, message = "No such module." }, statusCode: 404);
    }

    // Read it before the records, so that a change during the response leads to another version.
    var etag = $"\"{ReadVersion(recordType)}\"";
    context.Response.Headers.ETag = etag;
    if (context.Request.Headers.IfNoneMatch.ToString().Contains(etag)) return Results.StatusCode(304);

    return Results.Stream(async body =>
    {
        var json = new Utf8JsonWriter(body);
        json.WriteStartObject();
        json.WriteBoolean("success", true);
        json.WriteString("platform_name", platformName);
        json.WriteString("module_name", module["module_name"]!.GetValue<string>());
        json.WriteString("record_type", recordType);
        json.WriteNumber("total", CountRecords(recordType));
        json.WriteStartArray("records");
        foreach (var record in ReadRecords(recordType))
        {
            record.Remove("record_type");
            record.WriteTo(json);
            if (json.BytesPending > 65536) await json.FlushAsync();
        }
        json.WriteEndArray();
        json.WriteEndObject();
        // Not in a finally: an error in the loop must not close the list, so the hub knows that it is incomplete.
        await json.DisposeAsync();
    }, "application/json");
});

hub.MapGet("/search", (string? query) =>
{
    var found = ReadRecords()
        .Where(record => record.ToString().Contains(query ?? "", StringComparison.OrdinalIgnoreCase))
        .Take(50)
        .ToArray<JsonNode>();
    var result = new JsonObject
    {
        ["success"] = true,
        ["platform_name"] = platformName,
        ["records"] = new JsonArray(found),
    };
    return Results.Text(result.ToJsonString(), "application/json");
});

app.Run();
