// SPDX-License-Identifier: MIT
/* Names of C++ functions in messages: the declarations are those that c++filt prints. */
#include "libsov/runtime/base/demangle.h"
#include "tests/tap.h"

static const struct {
	const char *name, *declaration;
} rows[] = {
	{"_Z1kIN1a1b1CEEvPT_PKS3_m", "void k<a::b::C>(a::b::C*, a::b::C const*, unsigned long)"},
	{"_Z1kISt6vectorIiSaIiEEEvPT_PKS3_m",
	 "void k<std::vector<int, std::allocator<int> > >(std::vector<int, std::allocator<int> >*, "
	 "std::vector<int, std::allocator<int> > const*, unsigned long)"},
	{"_Z1kIfEvPT_PKS0_m", "void k<float>(float*, float const*, unsigned long)"},
	{"_Z2cvPViPVKcPKPiPKPKi",
	 "cv(int volatile*, char const volatile*, int* const*, int const* const*)"},
	{"_Z2enIL1E0EEvv", "void en<(E)0>()"},
	{"_Z2fpPFifcEPFvvEPA3_iRA4_A5_i",
	 "fp(int (*)(float, char), void (*)(), int (*) [3], int (&) [4][5])"},
	{"_Z2mpMN1a1b1CEiMS1_KFiiE", "mp(int a::b::C::*, int (a::b::C::*)(int) const)"},
	{"_Z2sqIJLm0ELm1ELm2EEEv3seqIJXspT_EEE", "void sq<0ul, 1ul, 2ul>(seq<0ul, 1ul, 2ul>)"},
	{"_Z2ttI1WEvT_IiE", "void tt<W>(W<int>)"},
	{"_Z2uLv", "uL()"},
	{"_Z2vaPKcz", "va(char const*, ...)"},
	{"_Z3byfIXadL_ZL2stiEEEvv", "void byf<&(st(int))>()"},
	{"_Z3litILi4ELb1EdLj7ELxn3ELc97EEvRAT__T1_",
	 "void lit<4, true, double, 7u, -3ll, (char)97>(double (&) [4])"},
	{"_Z3nulDn", "nul(decltype(nullptr))"},
	{"_Z3retIiET_S0_", "int ret<int>(int)"},
	{"_Z3ustv", "ust()"},
	{"_Z3vecDv4_fPS_", "vec(float __vector(4), float __vector(4)*)"},
	{"_Z4callIZ5useitvEUliE0_EvT_i",
	 "void call<useit()::{lambda(int)#2}>(useit()::{lambda(int)#2}, int)"},
	{"_Z4callIZ5useitvEUliE_EvT_i",
	 "void call<useit()::{lambda(int)#1}>(useit()::{lambda(int)#1}, int)"},
	{"_Z4carrPA3_KiRA2_S_", "carr(int const (*) [3], int const (&) [2])"},
	{"_Z4i128nowDsahste", "i128(__int128, unsigned __int128, wchar_t, char16_t, signed char, "
			      "unsigned char, short, unsigned short, long double)"},
	{"_Z4packIJEEvDpT_", "void pack<>()"},
	{"_Z4packIJifPcEEvDpT_", "void pack<int, float, char*>(int, float, char*)"},
	{"_Z4ret2IfEPT_PS1_", "float* ret2<float>(float**)"},
	{"_Z5retfpi", "retfp(int)"},
	{"_Z5scalePfi", "scale(float*, int)"},
	{"_Z5useitv", "useit()"},
	{"_Z6retfp2IiEPFifET_", "int (*retfp2<int>(int))(float)"},
	{"_Z6scale2PKfPfy", "scale2(float const*, float*, unsigned long long)"},
	{"_ZL2sti", "st(int)"},
	{"_ZN1L1mEv", "L::m()"},
	{"_ZN1VIfEixEi", "V<float>::operator[](int)"},
	{"_ZN1ZIiSt6vectorIiSaIiEEE1gEPS3_RS2_",
	 "Z<int, std::vector<int, std::allocator<int> > >::g(Z<int, std::vector<int, "
	 "std::allocator<int> > >*, std::vector<int, std::allocator<int> >&)"},
	{"_ZN1a12_GLOBAL__N_16hiddenEPNS_1b1CE", "a::(anonymous namespace)::hidden(a::b::C*)"},
	{"_ZN1a1b1C1tIfEEvPT_RS1_", "void a::b::C::t<float>(float*, a::b::C&)"},
	{"_ZN1a1b1CC1Ev", "a::b::C::C()"},
	{"_ZN1a1b1CC2Ev", "a::b::C::C()"},
	{"_ZN1a1b1CD1Ev", "a::b::C::~C()"},
	{"_ZN1a1b1CD2Ev", "a::b::C::~C()"},
	{"_ZN1a1b1CcviEv", "a::b::C::operator int()"},
	{"_ZN1a1b1fEPNS0_1CERS1_RKS1_OS1_",
	 "a::b::f(a::b::C*, a::b::C&, a::b::C const&, a::b::C&&)"},
	{"_ZN1a3useEPNS_1b1CE", "a::use(a::b::C*)"},
	{"_ZNK1VIfE2toIdEES_IT_ES2_", "V<double> V<float>::to<double>(double) const"},
	{"_ZNK1VIfEplERKS0_", "V<float>::operator+(V<float> const&) const"},
	{"_ZNK1a1b1C1mEi", "a::b::C::m(int) const"},
	{"_ZZ5useitvENKUliE0_clEi", "useit()::{lambda(int)#2}::operator()(int) const"},
	{"_ZZ5useitvENKUliE_clEi", "useit()::{lambda(int)#1}::operator()(int) const"},
	{"_ZZN1L1mEvEN2In1fEi", "L::m()::In::f(int)"},
	{"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	 "std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
	 "<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char "
	 "const*)"},
	{"_Z1fDv4_f", "f(float __vector(4))"},
	{"_ZStlsIdcSt11char_traitsIcEERSt13basic_ostreamIT0_T1_ES6_RKSt7complexIT_E",
	 "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <double, char, "
	 "std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, "
	 "std::complex<double> const&)"},
	{"_Z4castIfDhEvPT0_PKT_i", "void cast<float, half>(half*, float const*, int)"},
	{"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfEEEEvT1_",
	 "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> "
	 ">(at::native::ReduceOp<float>)"},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

/* Not mangled, cut off, or of a form that is left alone. */
static const char *const unchanged[] = {
	"",
	"saxpy",
	"_",
	"_Z",
	"_Z1",
	"_Z5scal",
	"_ZN",
	"_ZN1a",
	"_Z1fi_",
	"_Z1fT_",
	"_Z1fS_",
	"_Z1fS9_",
	"_ZTV1A",
	"_Z0fv",
	"_Z99999999999fv",
	"_Z1fIXplLi1ELi2EEEvv",
	"_Z1fDTfp_E",
	"_Z1fA",
	"_ZN1AD5Ev_",
	"_Z1fILf3f800000EEvv",
};

static void cut_off(void)
{
	char name[256], buffer[512];
	size_t wrong = 0;

	for (size_t i = 0; i < ROWS; i++)
		for (size_t n = 2; n < strlen(rows[i].name); n++) {
			const char *text;

			snprintf(name, sizeof(name), "%.*s", (int)n, rows[i].name);
			text = demangle(name, buffer, sizeof(buffer));
			wrong += text != name && text != buffer;
		}
	ok(!wrong, "every beginning of a name is demangled or left alone");
}

static void deep(void)
{
	static char name[200000];
	char buffer[256];

	memset(name, 'P', sizeof(name) - 1);
	memcpy(name, "_Z1f", 4);
	ok(demangle(name, buffer, sizeof(buffer)) == name, "100,000 pointers are left alone");
	memset(name + 4, 'N', sizeof(name) - 5);
	ok(demangle(name, buffer, sizeof(buffer)) == name, "100,000 namespaces are left alone");
	memset(name + 4, 'J', sizeof(name) - 5);
	name[4] = 'I';
	ok(demangle(name, buffer, sizeof(buffer)) == name, "100,000 packs are left alone");
}

int main(void)
{
	char buffer[512];
	size_t i;

	for (i = 0; i < ROWS; i++)
		is_str(demangle(rows[i].name, buffer, sizeof(buffer)), rows[i].declaration,
		       rows[i].name);
	for (i = 0; i < sizeof(unchanged) / sizeof(*unchanged); i++)
		ok(demangle(unchanged[i], buffer, sizeof(buffer)) == unchanged[i],
		   "'%s' is left alone", unchanged[i]);
	ok(demangle("_Z5scalePfi", buffer, 18) != buffer, "a declaration needs room for its end");
	is_str(demangle("_Z5scalePfi", buffer, 19), "scale(float*, int)",
	       "and fits where there is room");
	cut_off();
	deep();
	return tap_done();
}
