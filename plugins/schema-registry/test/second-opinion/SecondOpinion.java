import com.fasterxml.jackson.databind.ObjectMapper;
import io.apicurio.registry.content.ContentHandle;
import io.apicurio.registry.rules.compatibility.CompatibilityLevel;
import io.apicurio.registry.rules.compatibility.JsonSchemaCompatibilityChecker;
import java.io.*;
import java.util.*;

/** Reads lines of {"before", "after"}, writes lines of {"compatible", "differences"}: whether new readers read old documents. */
public class SecondOpinion {
    public static void main(String[] args) throws Exception {
        var mapper = new ObjectMapper();
        var checker = new JsonSchemaCompatibilityChecker();
        try (var lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"))) {
            for (String line; (line = lines.readLine()) != null; ) {
                var pair = mapper.readTree(line);
                var answer = mapper.createObjectNode();
                try {
                    var result = checker.testCompatibility(CompatibilityLevel.BACKWARD,
                            List.of(ContentHandle.create(pair.get("before").toString())),
                            ContentHandle.create(pair.get("after").toString()), Map.of());
                    answer.put("compatible", result.isCompatible());
                    var differences = answer.putArray("differences");
                    for (var one : result.getIncompatibleDifferences()) differences.add(one.asRuleViolation().getDescription());
                } catch (Exception | StackOverflowError failure) {
                    answer.put("failed", failure.getClass().getSimpleName() + ": " + failure.getMessage());
                }
                System.out.println(mapper.writeValueAsString(answer));
            }
        }
    }
}
