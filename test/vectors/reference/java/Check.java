import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Checks vectors from standard input against Java's long. Prints what differs, and how many were checked. */
public final class Check {
    static long compose(int[] widths, long[] values) {
        long id = 0;
        for (int at = 0; at < widths.length; at++) id = (id << widths[at]) | values[at];
        return id;
    }

    static long[] decode(long id, int[] widths) {
        long[] values = new long[widths.length];
        long rest = id;
        for (int at = widths.length - 1; at >= 0; at--) {
            values[at] = rest & ((1L << widths[at]) - 1);
            rest >>>= widths[at];
        }
        return values;
    }

    static String padded(String digits, int length) {
        return "0".repeat(length - digits.length()) + digits;
    }

    static void compare(String name, String form, String said, String wanted) {
        if (!said.equals(wanted)) System.out.println(name + ": " + form + " is " + said + ", not " + wanted);
    }

    public static void main(String[] arguments) throws IOException {
        int checked = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] columns = line.split("\t");
                String[][] parts =
                        Arrays.stream(columns[1].split(",")).map(part -> part.split(":")).toArray(String[][]::new);
                int[] widths = Arrays.stream(parts).mapToInt(part -> Integer.parseInt(part[0])).toArray();
                long[] values = Arrays.stream(parts).mapToLong(part -> Long.parseLong(part[1])).toArray();
                long id = compose(widths, values);
                compare(columns[0], "decimal", Long.toString(id), columns[2]);
                compare(columns[0], "hex", padded(Long.toHexString(id), 16), columns[3]);
                compare(columns[0], "binary", padded(Long.toBinaryString(id), 64), columns[4]);
                long[] decoded = decode(Long.parseLong(columns[2]), widths);
                if (!Arrays.equals(decoded, values)) {
                    System.out.println(columns[0] + ": decodes to " + Arrays.toString(decoded));
                }
                checked++;
            }
        }
        System.out.println("checked " + checked);
    }
}
